"""The adapter for Procrastinate: `prioritize` names the tasks whose jobs get a priority.

Importing this loads no models.
"""

from doc_priority.extras import require

require("procrastinate", "procrastinate")

from typing import Any

from django.apps import apps as all_apps  # `apps` is this package's own module of that name
from django.core.checks import register
from django.core.exceptions import ImproperlyConfigured
from procrastinate import App
from procrastinate.contrib.django import procrastinate_app

from doc_priority.check_messages import TAG
from doc_priority.contrib.calls import RAISE, PrioritizedTask, Where, add_task
from doc_priority.contrib.procrastinate.checks import (
    E044,
    OURS,
    THEIRS,
    check_apps,
    in_wrong_order,
)
from doc_priority.contrib.procrastinate.job_manager import PrioritizingJobManager, postponed
from doc_priority.validation import shortened

__all__ = ["prioritize"]


def prioritize(
    app: Any, task_name: str, *, customer: Where, document: Where = "", missing: str = RAISE
) -> None:
    """Count each job of this task for its customer, and defer it with the resulting priority.

    `customer` and `document` tell where a call has them: the name of an argument, a path from one
    ("upload.owner"), or a function of the call's arguments by their names. `missing` says what
    becomes of a call without a customer: "raise", "unprioritised" (it is deferred as if nobody had
    asked), or a key that stands for all of them. Naming a task twice with the same arguments is
    allowed. The code that defers jobs does not change.
    """
    listed = PrioritizedTask(task_name, customer, document, missing)
    register(check_apps, TAG)
    # Procrastinate's `app` for Django is a proxy; behind it is the real app, once it is ready.
    real = procrastinate_app.current_app if app is procrastinate_app.app else app
    if isinstance(real, App):
        _prioritize(real, listed)
        return
    if all_apps.is_installed(THEIRS) and not all_apps.is_installed(OURS):
        raise ImproperlyConfigured(
            f"prioritize(app, {shortened(task_name)}) is called before Procrastinate's app is "
            f"ready. Add {OURS!r} to INSTALLED_APPS, after {THEIRS!r}, or call it in "
            "PROCRASTINATE_ON_APP_READY."
        )
    if in_wrong_order():  # a web process runs no system checks, so this says what the check says
        said = E044()
        raise ImproperlyConfigured(f"{said.msg} {said.hint} ({said.id})")
    add_task(postponed, listed)


def prioritize_postponed() -> None:
    """Do what was asked for while Procrastinate's app for Django was not ready yet."""
    app = procrastinate_app.current_app
    while postponed and isinstance(app, App):
        _prioritize(app, postponed.popitem()[1])


def _prioritize(app: App, listed: PrioritizedTask) -> None:
    if not isinstance(app.job_manager, PrioritizingJobManager):
        app.job_manager = PrioritizingJobManager(app)
    add_task(app.job_manager.prioritized, listed)
