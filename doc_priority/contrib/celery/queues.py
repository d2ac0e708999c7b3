"""The queues of prioritised tasks; without a maximum priority RabbitMQ keeps no levels in them.

They get one on publisher and worker alike, and no other queue does: RabbitMQ refuses a queue that
exists to whoever declares it with other arguments.
"""

import logging
from collections.abc import Iterable
from functools import partial
from typing import Any

from celery.app.amqp import Queues
from celery.app.routes import Router
from celery.exceptions import QueueNotFound
from kombu import Queue

from doc_priority.contrib.celery.registry import tasks_of
from doc_priority.contrib.levels import MAX_PRIORITY

logger = logging.getLogger("doc_priority")
_warned: set[str] = set()


def maximum_of(queue: Any) -> Any:
    """The maximum priority with which the queue is declared."""
    return (queue.queue_arguments or {}).get("x-max-priority", queue.max_priority)


def type_of(queue: Any) -> Any:
    return (queue.queue_arguments or {}).get("x-queue-type", "classic")


def is_without_levels(queue: Any) -> bool:
    """Only classic queues take a maximum priority."""
    return type_of(queue) == "classic" and maximum_of(queue) is None


class PrioritizedQueues(Queues):  # type: ignore[misc]  # Celery has no types
    """An app's queues; a queue of a prioritised task gets levels when it is added."""

    def __init__(self, app: Any, *args: Any, **kwargs: Any) -> None:
        self._app = app
        super().__init__(*args, **kwargs)

    def __setitem__(self, name: str, queue: Any) -> None:
        super().__setitem__(name, queue)
        _give_levels(self._app, [queue])


def give_levels(app: Any) -> None:
    """Give levels to queues that the app adds later, and to those it has already."""
    app.amqp.queues_cls = partial(PrioritizedQueues, app)
    if known := vars(app.amqp).get("queues"):
        _give_levels(app, known.values())


def _give_levels(app: Any, queues: Iterable[Any]) -> None:
    names = {name for task in tasks_of(app) if (name := _name_of_queue(app, task))}
    for queue in queues:
        if not names.isdisjoint({queue.name, queue.alias}) and is_without_levels(queue):
            levels = {"x-max-priority": MAX_PRIORITY}
            queue.queue_arguments = {**(queue.queue_arguments or {}), **levels}


class _AnyQueue(dict[str, Any]):
    """Replaces the app's queues for the router, which would otherwise create missing ones."""

    def __missing__(self, name: str) -> Any:
        return Queue(name)


def _name_of_queue(app: Any, task: str) -> str | None:
    # The app's own router would ask for the queues that are being made here.
    router = Router(app.amqp.routes, _AnyQueue(), create_missing=True, app=app)
    try:
        found = router.route(_queue_of_its_own(app, task), task).get("queue")
        return getattr(found, "name", None)
    except Exception:
        # The portal's own router, which may want a call's arguments and fail in any way.
        logger.warning(
            "task_routes does not tell the queue of %s without a call's arguments, so none gets "
            "a maximum priority for it; declare them in task_queues with max_priority=%s.",
            task,
            MAX_PRIORITY,
            exc_info=True,
            extra={"action": "queue_unknown", "task": task},
        )
        return None


def _queue_of_its_own(app: Any, task: str) -> dict[str, Any]:
    # Private, as in Celery's own send_task: `app.tasks` would bind all the portal's tasks.
    queue = getattr(app._tasks.get(task), "queue", None)
    return {"queue": queue} if queue else {}


def route_of(app: Any, task: str) -> dict[str, Any] | None:
    """The route of a call of this task without options.

    None where the portal wants no other queues than it declares, and has not declared this one.
    """
    known = set(app.amqp.queues)
    try:
        found: dict[str, Any] = app.amqp.router.route(_queue_of_its_own(app, task), task)
    except QueueNotFound:
        return None
    for name in set(app.amqp.queues) - known:
        # The router has made it. A worker that was started without -Q would read it, for Celery
        # 5.6 lets it read every queue that the app knows.
        app.amqp.queues.pop(name, None)
    return {"queue": app.amqp.default_queue, **found}


def queues_of(app: Any, tasks: Iterable[str]) -> list[Any]:
    """The queues, as kombu declares them, into which these tasks go."""
    routes = (route_of(app, task) for task in tasks)
    return list({route["queue"].name: route["queue"] for route in routes if route}.values())


def warn_of_queues_without_levels(
    sender: str, *, declare: Iterable[Any] | None, properties: dict[str, Any], **kwargs: Any
) -> None:
    """A receiver of `before_task_publish`; it warns once for each queue."""
    # Only messages for RabbitMQ are sent as mandatory.
    for queue in declare or () if properties.get("mandatory") else ():
        if isinstance(queue, Queue) and queue.name not in _warned and is_without_levels(queue):
            _warned.add(queue.name)
            logger.warning(
                "A document was sent into the queue %r, which has no maximum priority: RabbitMQ "
                "does not heed priorities there. Name it in task_routes, or declare it in "
                "task_queues with max_priority=%s.",
                queue.name,
                MAX_PRIORITY,
                extra={"action": "queue_without_priorities", "queue": queue.name},
            )
