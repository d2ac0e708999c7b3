"""Does prioritize() name a task that there is?

A publisher may call a task by name without having its code. So a name is taken for wrong only when
the module in it can be imported here, or when the app has another task with almost that name.
"""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from django.core.checks import CheckMessage, Error

from doc_priority.contrib.celery.checks import importing
from doc_priority.contrib.celery.prioritized import Tasks

_ALIKE = 0.5
"""From here on a name is worth showing."""
_MISSPELT = 0.9
"""From here on it is taken for the one that was meant, though the module is not there."""


def own_tasks(app: Any) -> list[str]:
    """What the portal and its packages registered."""
    return [name for name in app.tasks if not name.startswith("celery.")]


def names_of(app: Any, tasks: Tasks) -> dict[str, str]:
    """Each wrong name, and the nearest that the app has, empty where none is near."""
    known = [one for one in own_tasks(app) if one not in tasks]
    return {
        name: _nearest(name, known, alike=_ALIKE)
        for name in tasks
        if name not in app.tasks
        and (importing.exists(importing.module_of(name)) or _nearest(name, known, alike=_MISSPELT))
    }


def _nearest(name: str, known: Sequence[str], *, alike: float) -> str:
    return next(iter(get_close_matches(name, known, n=1, cutoff=alike)), "")


def look_at_names(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    for name, nearest in names_of(app, tasks).items():
        yield Error(
            f"{app.main}: prioritize() names the task {name!r}, which the app does not have"
            f"{f'; the nearest it has is {nearest!r}' if nearest else ''}. Calls of the task that "
            "was meant are neither counted nor prioritised.",
            hint="Name the task as it is registered, which its attribute name shows; name= in the "
            "decorator changes it.",
            id="doc_priority.E018",
        )


LOOKS = (look_at_names,)
