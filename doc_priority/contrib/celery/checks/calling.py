"""Are the prioritised tasks called with what they take, and when they are due?"""

from collections.abc import Iterator
from inspect import Parameter, signature
from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as CheckWarning

from doc_priority.contrib.celery.prioritized import Tasks


def look_at_arguments(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Of tasks that are registered here; a publisher may know others by name only."""
    for name, task in tasks.items():
        for argument in (task.customer, task.document):
            if argument and name in app.tasks and not _takes(app.tasks[name].run, argument):
                yield Error(
                    f"{app.main}: prioritize() names the argument {argument!r}, which {name} does "
                    f"not have: {signature(app.tasks[name].run)}.",
                    hint="Name the arguments as the task's function has them.",
                    id="doc_priority.E026",
                )


def _takes(function: Any, argument: str) -> bool:
    parameters = signature(function).parameters
    return argument in parameters or any(
        one.kind is Parameter.VAR_KEYWORD for one in parameters.values()
    )


def look_at_schedule(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    for name, entry in (app.conf.beat_schedule or {}).items():
        given = entry.get("options") or {}
        late = [option for option in ("countdown", "eta") if given.get(option)]
        if late and entry.get("task") in tasks:
            yield CheckWarning(
                f"{app.main}: beat_schedule[{name!r}] sends {entry['task']} with {late[0]}: the "
                "worker fetches it at once, holds it until then and runs it without regard to its "
                "priority.",
                hint="Put the time into the schedule itself.",
                id="doc_priority.W023",
            )


LOOKS = (look_at_arguments, look_at_schedule)
