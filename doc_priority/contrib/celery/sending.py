"""`app.send_task` of an app with prioritised tasks: every way of calling a task ends there.

A router sees each call, too, but again at every retry, which would count the document again.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from importlib import import_module
from inspect import signature
from typing import Any

import django
from amqp.exceptions import AMQPError, PreconditionFailed
from celery import Celery
from django.apps import apps
from kombu.exceptions import OperationalError

from doc_priority.contrib.calls import PrioritizedTask, Subject
from doc_priority.contrib.celery.broker import engine_of
from doc_priority.contrib.celery.registry import Tasks, module_of
from doc_priority.contrib.levels import Engine, level

logger = logging.getLogger("doc_priority")

HEADER = "doc_priority"  # a worker reads it as `self.request.doc_priority`
NO_ROUTE = 312  # RabbitMQ's code for a message that went into no queue
_BY_PLACE = tuple(signature(Celery.send_task).parameters)[7:]  # what comes behind the task's id


class PrioritySender:
    """`app.send_task` of an app with prioritised tasks; other tasks are sent as before."""

    def __init__(self, app: Any, tasks: Tasks) -> None:
        self._app = app
        self._tasks = tasks
        self._send: Callable[..., Any] = app.send_task
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
        options |= {"countdown": countdown, "eta": eta, **dict(zip(_BY_PLACE, more, strict=False))}
        task = self._tasks.get(name)
        if task is None:
            return self._send(name, args, kwargs, task_id=task_id, **options)
        engine = self._engine  # refused before anything is counted
        # Private, as in Celery's own send_task: `app.tasks` would import and bind all the portal's
        # tasks in whoever sends first.
        registered = options.get("task_type") or self._app._tasks.get(name)
        # A task's own default priority comes along with every call, and nobody asked for it.
        asked = options.get("priority")
        is_asked = asked is not None and asked != getattr(registered, "priority", None)
        if not is_asked and not options.get("retries"):
            subject = self._subject(task, args or (), kwargs or {}, registered)
            if subject is None:
                return self._send(name, args, kwargs, task_id=task_id, **options)
            if (countdown or eta) and name not in self._warned:
                self._warned.add(name)
                logger.warning(
                    "%s was called with countdown or eta: the worker fetches it at once, holds it "
                    "until then and runs it without regard to its priority.",
                    name,
                    extra={"action": "eta_on_prioritized_task", "task": name},
                )
            stable = task.id_of(subject)
            decided = _decide(subject, None if stable is None else str(stable))
            options["priority"] = level(engine, priority=decided["priority"])
            options["headers"] = {**(options.get("headers") or {}), HEADER: decided}
            task_id = task_id or decided["id"]
        send = partial(self._send, name, args, kwargs, task_id=task_id)
        on_rabbitmq = engine is Engine.CELERY_RABBITMQ
        return self._send_to_rabbitmq(send, options) if on_rabbitmq else send(**options)

    @cached_property
    def _engine(self) -> Engine:
        return engine_of(self._app)

    def _subject(
        self, task: PrioritizedTask, args: Sequence[Any], kwargs: Mapping[str, Any], registered: Any
    ) -> Subject | None:
        if registered is None and args and (module := module_of(task.name)):
            # Only the task's code says what stands in which place.
            _set_up()
            import_module(module)
            registered = self._app.tasks.get(task.name)
        return task.subject_of(args, kwargs, function=getattr(registered, "run", None))

    def _send_to_rabbitmq(
        self, send: Callable[..., Any], options: dict[str, Any], *, is_again: bool = False
    ) -> Any:
        """RabbitMQ confirms a message that goes into no queue; `mandatory` ones it sends back.

        A connection declares a queue once, and the queue may have been deleted since. A new
        connection declares the queue anew, so such a message is sent once more.
        """
        given = options.pop("producer", None) or options.get("publisher")
        if connection := options.pop("connection", None):
            given = self._app.amqp.Producer(connection, auto_declare=False)
        with self._app.producer_or_acquire(given) as acquired:
            connection = acquired.connection
            if options.get("mandatory") is None:  # None comes with a task that says nothing of it
                options["mandatory"] = connection.transport_options.get("confirm_publish")
            try:
                return send(producer=acquired, **options)
            except (AMQPError, OperationalError) as error:
                # The next message would take a late confirmation of this one for its own. There is
                # no farewell, because a broker that hangs would be waited for.
                connection.collect()
                acquired.revive(connection)
                if isinstance(error, OperationalError):
                    raise
                if is_again or error.reply_code != NO_ROUTE:
                    raise OperationalError(_explained(error)) from error
                again = {**options, "producer": acquired}
                return self._send_to_rabbitmq(send, again, is_again=True)


def _explained(error: AMQPError) -> str:
    """Celery raises these errors as they are; kombu's are what callers expect of a broker."""
    if isinstance(error, PreconditionFailed):
        return (
            "The queue exists with other arguments, such as no maximum priority, so RabbitMQ "
            f"refuses to send there: {error}. Give documents a queue with a new name, or delete "
            "this one when it is empty."
        )
    if error.reply_code == NO_ROUTE:
        return f"The message went into no queue, although its queue was declared: {error}."
    return str(error)


def _decide(subject: Subject, stable: str | None) -> dict[str, Any]:
    """Count the document; the part of the decision that the worker gets in a header."""
    _set_up()
    # Imported late: Django's apps are not ready when a portal's Celery module is.
    engines, services = map(
        import_module, ("doc_priority.contrib.engines", "doc_priority.services")
    )
    decided = services.check(subject.customer, document=subject.document)
    (decision,) = engines.as_sent([decided])
    return {
        "customer": subject.customer,
        "document": subject.document,
        "id": stable,
        "priority": decision.priority,
        "repeated": decision.repeated,
    }


def _set_up() -> None:
    """Django's apps are not ready if only a Celery module was imported, as by `celery call`."""
    if not apps.models_ready:
        django.setup()
