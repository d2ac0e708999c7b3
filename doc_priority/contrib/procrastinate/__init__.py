"""The adapter for Procrastinate. Importing this loads no models."""

from doc_priority.extras import require

require("procrastinate", "procrastinate")

from doc_priority.contrib.procrastinate.prioritizing import prioritize

__all__ = ["prioritize"]
