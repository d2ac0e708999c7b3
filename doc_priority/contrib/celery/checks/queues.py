"""Do RabbitMQ's queues keep the nine levels apart?"""

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error

from doc_priority.contrib.celery import maxima, routes
from doc_priority.contrib.celery.configuration import quorum_queues
from doc_priority.contrib.celery.maxima import MAX_PRIORITY
from doc_priority.contrib.celery.prioritized import Tasks
from doc_priority.shortening import joined


def look_at_maximum(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    for queue in routes.queues_of(app, tasks):
        highest = maxima.maximum_of(queue)
        if maxima.is_classic(queue) and (highest or 0) < MAX_PRIORITY:
            yield Error(
                f"{app.main}: the queue {queue.name!r} has the maximum priority {highest!r}; "
                f"RabbitMQ needs {MAX_PRIORITY} to keep nine levels apart.",
                hint="Leave task_queue_max_priority out, and max_priority where you declare the "
                f"queue yourself, or set {MAX_PRIORITY}. A queue that exists already keeps its "
                "maximum: give the new one another name.",
                id="doc_priority.E023",
            )


def look_at_quorum(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    quorum = list(quorum_queues(app.conf))
    if quorum and app.conf.task_queue_max_priority is not None:
        yield Error(
            f"{app.main}: task_queue_max_priority is {app.conf.task_queue_max_priority!r}, and "
            f"RabbitMQ refuses a maximum priority for quorum queues ({joined(quorum)}).",
            hint="Leave task_queue_max_priority out, and give it to classic queues one by one: "
            f"Queue(…, max_priority={MAX_PRIORITY}).",
            id="doc_priority.E024",
        )


LOOKS = (look_at_maximum, look_at_quorum)
