"""Does Redis keep the nine levels in lists of their own?"""

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error

from doc_priority.contrib.celery import routes
from doc_priority.contrib.celery.configuration import STEPS
from doc_priority.contrib.celery.prioritized import Tasks
from doc_priority.shortening import shortened

SEP = "\x06\x16"


def look_at_steps(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    options = app.conf.broker_transport_options
    steps = options.get("priority_steps")
    if list(steps or ()) == STEPS:
        return
    shown = f"priority_steps {shortened(steps, 100)}"
    hint = "Leave priority_steps out, or set list(range(10)) on publishers and workers."
    if "priority_steps" not in options:
        shown = "no priority_steps"
        hint = (
            "prioritize() puts them in, so these options were set after prioritize(): set them "
            "before, or with 'priority_steps': list(range(10))."
        )
    yield Error(
        f"{app.main}: broker_transport_options has {shown}. With others than 0 to 9 in this order, "
        "levels are merged, turned round or looked for in lists that nobody else uses.",
        hint=hint,
        id="doc_priority.E021",
    )


def look_at_separator(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    sep = app.conf.broker_transport_options.get("sep", SEP)
    for queue in routes.queues_of(app, tasks):
        if sep != SEP and str(sep) in queue.name:
            yield Error(
                f"{app.main}: broker_transport_options has sep {shortened(sep, 100)}, which the "
                f"name of the queue {queue.name!r} has in it: no worker ever reads it.",
                hint="Leave sep out, on publishers and workers, or give documents a queue without "
                "it in its name.",
                id="doc_priority.E022",
            )


LOOKS = (look_at_steps, look_at_separator)
