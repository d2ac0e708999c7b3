"""Into which queues do an app's prioritised tasks go?"""

from collections.abc import Iterable
from typing import Any

from celery.exceptions import QueueNotFound


def queue_of(app: Any, task: str) -> Any:
    """The queue, as kombu declares it, into which a task goes that says nothing else.

    None where the portal wants no other queues than it declares, and has not declared this one.
    """
    route = _route_of(app, task)
    return None if route is None else route.get("queue") or app.amqp.default_queue


def priority_of(app: Any, task: str) -> Any:
    """What `task_routes` says for a task, if anything."""
    return (_route_of(app, task) or {}).get("priority")


def _route_of(app: Any, task: str) -> dict[str, Any] | None:
    registered = app.tasks.get(task)
    given = {"queue": registered.queue} if getattr(registered, "queue", None) else {}
    known = set(app.amqp.queues)
    try:
        found: dict[str, Any] = app.amqp.router.route(given, task)
    except QueueNotFound:
        return None
    for name in set(app.amqp.queues) - known:
        # The router has made it. A worker that was started without -Q would read it, for Celery
        # 5.6 lets it read every queue that the app knows.
        app.amqp.queues.pop(name, None)
    return found


def queues_of(app: Any, tasks: Iterable[str]) -> list[Any]:
    """Each queue once."""
    queues = (queue_of(app, task) for task in tasks)
    return list({queue.name: queue for queue in queues if queue is not None}.values())
