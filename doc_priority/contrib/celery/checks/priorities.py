"""Does something else than the customer's counter say a priority?"""

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage
from django.core.checks import Warning as CheckWarning

from doc_priority.contrib.celery import routes
from doc_priority.contrib.celery.prioritized import Tasks


def look_at_defaults(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    yield from _default(app, "task_default_priority", app.conf.task_default_priority)
    if app.conf.task_default_priority is None:
        for name in tasks:
            yield from _default(app, name, getattr(app.tasks.get(name), "priority", None))


def look_at_routed_priorities(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    for name in tasks:
        priority = routes.priority_of(app, name)
        if priority is not None:
            yield _unheeded(
                f"{app.main}: task_routes sets the priority {priority!r} for {name}. Prioritised "
                "tasks do not heed it."
            )


def _default(app: Any, owner: str, priority: Any) -> Iterator[CheckMessage]:
    if priority is not None:
        yield _unheeded(
            f"{app.main}: {owner} sets the default priority {priority!r}. Prioritised tasks do "
            "not heed it, and a call that asks for this very number is not told from one that "
            "asks for none."
        )


def _unheeded(message: str) -> CheckMessage:
    return CheckWarning(
        message,
        hint="Leave it unset; give other tasks a queue of their own.",
        id="doc_priority.W022",
    )


def look_at_inheritance(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    if app.conf.task_inherit_parent_priority:
        yield CheckWarning(
            f"{app.main}: task_inherit_parent_priority is on: a prioritised task in a chain, or "
            "linked to another, takes the other's priority and is not counted.",
            hint="Leave task_inherit_parent_priority off.",
            id="doc_priority.W025",
        )


LOOKS = (look_at_defaults, look_at_routed_priorities, look_at_inheritance)
