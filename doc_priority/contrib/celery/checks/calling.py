"""Are the prioritised tasks called with what they take, and when they are due?"""

from collections.abc import Iterator
from inspect import signature
from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as CheckWarning

from doc_priority.contrib.calls import WHERE_HINT, argument_of, arguments_of, doubt_about
from doc_priority.contrib.celery.prioritized import Tasks


def look_at_arguments(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Of tasks that are registered here; a publisher may know others by name only."""
    for name, task in tasks.items():
        if name not in app.tasks:
            continue
        function = app.tasks[name].run
        arguments = arguments_of(function, takes_context=False)
        for key, where in (("customer", task.customer), ("document", task.document)):
            if arguments.problem_with(where):
                yield Error(
                    f"{app.main}: prioritize() names the argument {argument_of(where)!r}, which "
                    f"{name} does not have: {signature(function)}.",
                    hint="Name the arguments as the task's function has them.",
                    id="doc_priority.E026",
                )
            elif doubt := doubt_about(function, where):
                yield CheckWarning(
                    f"{app.main}: prioritize() of {name} has {key}={where!r}, and no call has one "
                    f"there: {doubt}.",
                    hint=WHERE_HINT,
                    id="doc_priority.W029",
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
