"""Do documents go into a queue of their own, and is it there?"""

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as CheckWarning

from doc_priority.contrib.celery import routes
from doc_priority.contrib.celery.checks import misnamed
from doc_priority.contrib.celery.prioritized import Tasks
from doc_priority.shortening import joined


def look_at_sharing(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    wrong = misnamed.names_of(app, tasks)
    others = [one for one in misnamed.own_tasks(app) if one not in {*tasks, *wrong.values()}]
    ours = [name for name in tasks if name not in wrong]
    for queue in routes.queues_of(app, ours):
        sharing = sorted(one for one in others if _goes_into(app, one, queue))
        if sharing:
            yield CheckWarning(
                f"{app.main}: the queue {queue.name!r} also gets {joined(sharing)}. "
                "Without a priority they come before all documents on Redis and after all on "
                "RabbitMQ.",
                hint="Give documents a queue of their own: task_routes = "
                f"{{{ours[0]!r}: {{'queue': 'documents'}}}}, and a worker with "
                "-Q documents.",
                id="doc_priority.W024",
            )


def _goes_into(app: Any, task: str, queue: Any) -> bool:
    found = routes.queue_of(app, task)
    return found is not None and bool(found.name == queue.name)


def look_at_routes(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    for name in tasks:
        if routes.queue_of(app, name) is None:
            yield Error(
                f"{app.main}: {name} is routed to a queue that task_queues does not have, and "
                "task_create_missing_queues is off: no document can be sent.",
                hint="Declare the queue in task_queues, or leave task_create_missing_queues on.",
                id="doc_priority.E019",
            )


LOOKS = (look_at_sharing, look_at_routes)
