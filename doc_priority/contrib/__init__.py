"""Adapters for the queue that a portal already runs, a package for each; metrics and traces."""
