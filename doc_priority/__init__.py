"""Fair priorities for customers who share a document pipeline."""

__version__ = "0.1.0"
