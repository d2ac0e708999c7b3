"""Which queues get a maximum priority, without which RabbitMQ knows no levels?

Those of the prioritised tasks, on publisher and worker alike, and no others: RabbitMQ refuses a
queue that exists to whoever declares it with other arguments.
"""

import logging
from collections.abc import Iterable
from functools import partial
from typing import Any

from celery.app.amqp import Queues
from celery.app.routes import Router
from kombu import Queue

from doc_priority.contrib.celery import prioritized

MAX_PRIORITY = 10
_ARGUMENT, _TYPE, _CLASSIC = "x-max-priority", "x-queue-type", "classic"

logger = logging.getLogger("doc_priority")
_warned: set[str] = set()


class PrioritizedQueues(Queues):  # type: ignore[misc]  # Celery has no types
    """An app's queues; one that a prioritised task is routed to has levels from the beginning."""

    def __init__(self, app: Any, *args: Any, **kwargs: Any) -> None:
        self._app = app
        super().__init__(*args, **kwargs)

    def __setitem__(self, name: str, queue: Any) -> None:
        super().__setitem__(name, queue)
        _complete([queue], _names_of(self._app))


def give_to_queues_of(app: Any) -> None:
    """Also to those that the app knows already."""
    app.amqp.queues_cls = partial(PrioritizedQueues, app)
    if known := vars(app.amqp).get("queues"):
        _complete(known.values(), _names_of(app))


def maximum_of(queue: Any) -> int | None:
    """What the queue is declared with."""
    found: int | None = (queue.queue_arguments or {}).get(_ARGUMENT, queue.max_priority)
    return found


def is_classic(queue: Any) -> bool:
    """The other types refuse a maximum priority."""
    return bool((queue.queue_arguments or {}).get(_TYPE, _CLASSIC) == _CLASSIC)


def warn_of_queues_without(declared: Iterable[Any]) -> None:
    """Say once of each queue that a document goes into that RabbitMQ keeps no levels there."""
    for queue in declared:
        if (
            isinstance(queue, Queue)
            and queue.name not in _warned
            and is_classic(queue)
            and maximum_of(queue) is None
        ):
            _warned.add(queue.name)
            logger.warning(
                "A document was sent into the queue %r, which has no maximum priority: RabbitMQ "
                "does not heed priorities there. Name it in task_routes, or declare it in "
                "task_queues with max_priority=%s.",
                queue.name,
                MAX_PRIORITY,
                extra={"action": "queue_without_priorities", "queue": queue.name},
            )


def _complete(queues: Iterable[Any], names: set[str]) -> None:
    for queue in queues:
        if (
            not names.isdisjoint({queue.name, queue.alias})
            and is_classic(queue)
            and maximum_of(queue) is None
        ):
            queue.queue_arguments = {**(queue.queue_arguments or {}), _ARGUMENT: MAX_PRIORITY}


class _AnyQueue(dict[str, Any]):
    """Stands for the app's queues, so that asking for a name makes none."""

    def __missing__(self, name: str) -> Any:
        return Queue(name)


def _names_of(app: Any) -> set[str]:
    router = Router(app.amqp.routes, _AnyQueue(), create_missing=True, app=app)
    found = (_queue_of(app, router, name) for name in prioritized.tasks_of(app))
    return {queue.name for queue in found if queue is not None}


def _queue_of(app: Any, router: Any, task: str) -> Any:
    registered = app._tasks.get(task)  # `app.tasks` would bind all the portal's tasks
    queue = getattr(registered, "queue", None)
    try:
        return router.route({"queue": queue} if queue else {}, task).get("queue")
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
