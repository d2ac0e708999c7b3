"""The adapter for Django tasks, Django's own and those of the backport.

Importing this loads no models: Django makes the backend where a task is declared, which may be
before the apps are ready.
"""

from doc_priority.extras import require

require("tasks", "django_tasks_db")

from doc_priority.contrib.tasks.backend import PrioritizingBackend, PriorityDatabaseBackend

__all__ = ["PrioritizingBackend", "PriorityDatabaseBackend"]
