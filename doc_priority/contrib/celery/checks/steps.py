"""Does Redis keep the nine levels in lists of their own?"""

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error

from doc_priority.contrib.celery.configuration import STEPS
from doc_priority.contrib.celery.prioritized import Tasks
from doc_priority.shortening import shortened

SEP = "\x06\x16"


def look_at_steps(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    steps = app.conf.broker_transport_options.get("priority_steps")
    if list(steps or ()) != STEPS:
        yield Error(
            f"{app.main}: broker_transport_options has priority_steps {shortened(steps, 100)}. "
            "With others than 0 to 9 in this order, levels are merged, turned round or looked for "
            "in lists that nobody else uses.",
            hint="Leave priority_steps out, or set list(range(10)) on publishers and workers.",
            id="doc_priority.E021",
        )


def look_at_separator(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    sep = app.conf.broker_transport_options.get("sep", SEP)
    if sep != SEP:
        yield Error(
            f"{app.main}: broker_transport_options has sep {shortened(sep, 100)}; a queue that has "
            "it in its name is never read.",
            hint="Leave sep out, on publishers and workers.",
            id="doc_priority.E022",
        )


LOOKS = (look_at_steps, look_at_separator)
