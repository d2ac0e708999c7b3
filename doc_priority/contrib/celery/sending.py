"""What happens when a prioritised task is called?

Every way of calling a task ends in `app.send_task`. Routers see a call too, but once more at every
retry, and a customer would be charged again.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from inspect import signature
from typing import Any

import django
from celery import Celery
from django.apps import apps
from kombu.connection import PooledConnection

from doc_priority.contrib.calls import PrioritizedTask, Subject
from doc_priority.contrib.celery.outlets import Lease, Outlet, Outlets
from doc_priority.contrib.celery.prioritized import Tasks, module_exists, module_of
from doc_priority.contrib.levels import Engine, level
from doc_priority.types import Decision

logger = logging.getLogger("doc_priority")

HEADER = "doc_priority"
"""A worker reads it as `self.request.doc_priority`."""

_MORE = tuple(signature(Celery.send_task).parameters)[7:]
"""What `app.send_task` takes by place behind the id of the task."""


def intercept(app: Any, tasks: Tasks) -> None:
    """Stand before `app.send_task` from now on."""
    app.send_task = PrioritySender(app, tasks)


class PrioritySender:
    """`app.send_task` of an app with prioritised tasks; the others pass."""

    def __init__(self, app: Any, tasks: Tasks) -> None:
        self._app = app
        self._tasks = tasks
        self._send: Callable[..., Any] = app.send_task
        self._outlets = Outlets(app)
        self._warned: set[str] = set()

    def __call__(
        self,
        name: str,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        countdown: float | None = None,
        eta: Any = None,
        task_id: str | None = None,
        *more: Any,
        **options: Any,
    ) -> Any:
        options |= {"countdown": countdown, "eta": eta, **dict(zip(_MORE, more, strict=False))}
        task = self._tasks.get(name)
        if task is None:
            return self._send(name, args, kwargs, task_id=task_id, **options)
        outlet = self._outlets.current()
        if not self._is_settled(task, options):
            subject = self._subject(task, args, kwargs, options)
            if subject is None:
                return self._send(name, args, kwargs, task_id=task_id, **options)
            if countdown or eta:
                self._warn_of_eta(name)
            stable = _id_of(task, subject)
            options |= _decided(subject, stable, options, engine=outlet.engine)
            task_id = task_id or stable
        with self._producer(outlet, options) as producer:
            options["producer"] = producer
            return self._send(name, args, kwargs, task_id=task_id, **options)

    def _subject(
        self,
        task: PrioritizedTask,
        args: Sequence[Any] | None,
        kwargs: Mapping[str, Any] | None,
        options: Mapping[str, Any],
    ) -> Subject | None:
        registered = self._registered(task, options)
        module = module_of(task.name)
        if registered is None and args and module_exists(module):
            # Only the task's code says what stands in which place.
            _set_up()
            import_module(module)
            registered = self._app.tasks.get(task.name)
        function = getattr(registered, "run", None)
        return task.subject_of(args or (), kwargs or {}, function=function)

    def _is_settled(self, task: PrioritizedTask, options: Mapping[str, Any]) -> bool:
        """Whether this is a retry, or has a priority that somebody asked for at the call.

        A task's own default comes along with every call, and nobody asked for it.
        """
        if options.get("retries"):
            return True
        priority = options.get("priority")
        return priority is not None and priority != getattr(
            self._registered(task, options), "priority", None
        )

    def _registered(self, task: PrioritizedTask, options: Mapping[str, Any]) -> Any:
        # Asking `app.tasks` would import and bind all the portal's tasks in whoever sends first.
        return options.get("task_type") or self._app._tasks.get(task.name)

    def _producer(self, outlet: Outlet, options: dict[str, Any]) -> AbstractContextManager[Any]:
        """One that keeps to PUBLISH_TIMEOUT_MS, unless the caller came with another connection."""
        given = options.pop("producer", None) or options.pop("publisher", None)
        if options.get("connection") or (given is not None and not self._is_of_the_app(given)):
            return nullcontext(given)
        return Lease(outlet)

    def _is_of_the_app(self, producer: Any) -> bool:
        """A group hands each of its tasks one from the app's pool, which knows no time limit."""
        connection = producer.__connection__
        pool = self._app.producer_pool.connections
        return isinstance(connection, PooledConnection) and connection._pool is pool

    def _warn_of_eta(self, name: str) -> None:
        if name not in self._warned:
            self._warned.add(name)
            logger.warning(
                "%s was called with countdown or eta: the worker fetches it at once, holds it "
                "until then and runs it without regard to its priority.",
                name,
                extra={"action": "eta_on_prioritized_task", "task": name},
            )


def _decide(subject: Subject) -> Decision:
    """By modules imported late: Django's apps are not ready when a portal's Celery module is."""
    _set_up()
    engines, services = map(
        import_module, ("doc_priority.contrib.engines", "doc_priority.services")
    )
    decision: Decision = engines.as_sent(
        [services.check(subject.customer, document=subject.document)]
    )[0]
    return decision


def _set_up() -> None:
    """Apps are not ready where only a Celery module was imported, as by `celery call`."""
    if not apps.models_ready:
        django.setup()


def _decided(
    subject: Subject, stable: str | None, options: Mapping[str, Any], *, engine: Engine
) -> dict[str, Any]:
    """The options that the decision changes."""
    decision = _decide(subject)
    told = {
        "customer": subject.customer,
        "document": subject.document,
        "id": stable,
        "priority": decision.priority,
        "repeated": decision.repeated,
    }
    return {
        "priority": level(engine, priority=decision.priority),
        "headers": {**(options.get("headers") or {}), HEADER: told},
    }


def _id_of(task: PrioritizedTask, subject: Subject) -> str | None:
    found = task.id_of(subject)
    return None if found is None else str(found)
