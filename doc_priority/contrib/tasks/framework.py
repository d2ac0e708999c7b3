"""Which framework the tasks come from: the one that the database backend has chosen."""

from importlib import import_module

from django_tasks_db.compat import (
    DEFAULT_TASK_PRIORITY,
    BaseTaskBackend,
    BaseTaskResult,
    Task,
    TaskResultDoesNotExist,
    TaskResultStatus,
    normalize_json,
    task_backends,
    task_enqueued,
)

TaskException: type[Exception] = import_module(TaskResultDoesNotExist.__module__).TaskException
"""The base of what either framework says of a task that is not right."""

__all__ = [
    "DEFAULT_TASK_PRIORITY",
    "BaseTaskBackend",
    "BaseTaskResult",
    "Task",
    "TaskException",
    "TaskResultStatus",
    "normalize_json",
    "task_backends",
    "task_enqueued",
]
