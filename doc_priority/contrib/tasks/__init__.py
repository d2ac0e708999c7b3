"""The priority handed to Django tasks, Django's own and the backport's.

Importing this loads no models: a backend is made before the apps are ready where a task is
declared that early.
"""

from doc_priority.extras import require

require("tasks", "django_tasks_db")

from doc_priority.contrib.tasks.backend import PrioritizingBackend, PriorityDatabaseBackend

__all__ = ["PrioritizingBackend", "PriorityDatabaseBackend"]
