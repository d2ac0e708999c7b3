"""Backends that a portal might have made for itself."""

from typing import Any

from doc_priority.contrib.tasks import PrioritizingBackend
from doc_priority.contrib.tasks.framework import BaseTaskBackend, task_backends

Immediate = type(task_backends["immediate"])


class CollectingBackend(BaseTaskBackend):
    """Knows priorities, and keeps its tasks in a list."""

    supports_priority = True

    def __init__(self, alias: str, params: dict[str, Any]) -> None:
        super().__init__(alias, params)
        self.tasks: list[Any] = []

    def enqueue(self, task: Any, args: Any, kwargs: Any) -> Any:
        if "full" in args:
            raise OSError("the list is full")
        self.tasks.append(task)
        return task


class PrioritizingCollectingBackend(PrioritizingBackend, CollectingBackend):
    """Gives them to it."""


class PrioritizingImmediateBackend(PrioritizingBackend, Immediate):
    """Cannot: tasks run at once."""
