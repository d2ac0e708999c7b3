"""The backend that gives a task the priority of its customer."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, cast

from asgiref.sync import sync_to_async
from django.apps import apps
from django.core.checks import CheckMessage
from django_tasks_db.backend import DatabaseBackend

from doc_priority.contrib.calls import PrioritizedTask
from doc_priority.contrib.tasks.framework import DEFAULT_TASK_PRIORITY, BaseTaskBackend
from doc_priority.contrib.tasks.listing import listed_tasks


class PrioritizingBackend(BaseTaskBackend):
    """To be put before a backend that keeps an order of priorities: `class Ours(this, Theirs)`.

    A listed task that is enqueued without a priority is charged to its customer and gets the
    priority that follows.
    """

    @cached_property
    def prioritized(self) -> Mapping[str, PrioritizedTask]:
        """The listed tasks by their path."""
        return listed_tasks(self.alias, self.options)

    def enqueue(self, task: Any, args: Any, kwargs: Any) -> Any:
        if not self._gives_priority_to(task):
            return super().enqueue(task, args, kwargs)
        self.validate_task(task)
        # Needs the models, which this module must not load.
        enqueuing = import_module("doc_priority.contrib.tasks.enqueuing")
        return enqueuing.enqueue(self, super().enqueue, task, args, kwargs)

    async def aenqueue(self, task: Any, args: Any, kwargs: Any) -> Any:
        if not self._gives_priority_to(task):
            return await super().aenqueue(task, args, kwargs)
        return await sync_to_async(self.enqueue)(task, args, kwargs)

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        """What the backend itself says, and what stands in the way of priorities."""
        messages = [*super().check(**kwargs)]
        if not apps.is_installed(__package__):
            messages += self._problems()
        return messages

    def _problems(self) -> Iterator[CheckMessage]:
        checks = import_module("doc_priority.contrib.tasks.checks")
        return cast("Iterator[CheckMessage]", checks.check_backend(self))

    def _gives_priority_to(self, task: Any) -> bool:
        """A priority of its own is left alone; it cannot be told from the default if it is 0."""
        return task.module_path in self.prioritized and task.priority == DEFAULT_TASK_PRIORITY


class PriorityDatabaseBackend(PrioritizingBackend, DatabaseBackend):
    """Keeps tasks in the database, and charges a document if and only if it is enqueued."""
