"""Do calls of a shared task come to the app that prioritises it?

Where a process has several apps, Celery gives the calls of a `shared_task` to the one that was made
last, and in other threads than that app's to the one that is the default, usually the first.
"""

import sys
from collections.abc import Iterator
from typing import Any

from celery import current_app
from celery.app import default_app
from celery.local import Proxy
from django.core.checks import CheckMessage
from django.core.checks import Warning as CheckWarning

from doc_priority.contrib.celery import prioritized
from doc_priority.contrib.celery.prioritized import Tasks


def look_at_shared_tasks(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """Of those that are found by their name; a task of an app's own goes to that app."""
    known = dict(prioritized.all_apps())
    found = {current_app._get_current_object(), default_app._get_current_object()} - {app, None}
    for name in filter(_is_shared, tasks):
        for other in sorted(found, key=lambda one: str(one.main)):
            if name not in known.get(other, {}):
                yield CheckWarning(
                    f"{app.main}: {name} is a shared task, and calls of it go to the app "
                    f"{other.main}, where they are neither counted nor prioritised.",
                    hint=f"Make {app.main} before all other apps, and those with "
                    "Celery(…, set_as_current=False).",
                    id="doc_priority.W017",
                )


def _is_shared(name: str) -> bool:
    module, _, function = name.rpartition(".")
    return type(getattr(sys.modules.get(module), function, None)) is Proxy


LOOKS = (look_at_shared_tasks,)
