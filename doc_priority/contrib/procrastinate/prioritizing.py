"""The one call with which a portal names the tasks whose jobs get a priority."""

from typing import Any

from django.apps import apps
from django.core.checks import register
from django.core.exceptions import ImproperlyConfigured
from procrastinate import App
from procrastinate.contrib.django import procrastinate_app

from doc_priority.check_messages import TAG
from doc_priority.contrib.calls import RAISE, PrioritizedTask, Where, add_task
from doc_priority.contrib.procrastinate import installation
from doc_priority.contrib.procrastinate.checks import check_apps
from doc_priority.contrib.procrastinate.job_manager import PrioritizingJobManager, waiting
from doc_priority.validation import shortened


def prioritize(
    app: Any, task_name: str, *, customer: Where, document: Where = "", missing: str = RAISE
) -> None:
    """Charge each job of this task to its customer, and defer it with the priority that follows.

    `customer` and `document` tell where a call has them: the name of an argument, a path from one
    ("upload.owner"), or a function of the call's arguments by their names. `missing` says what
    becomes of a call without a customer: "raise", "unprioritised" (it is deferred as if nobody had
    asked), or a key that stands for all of them. A task may be named twice in the same words. Where
    jobs are deferred nothing changes.
    """
    listed = PrioritizedTask(task_name, customer, document, missing)
    register(check_apps, TAG)
    real = _real(app)
    if isinstance(real, App):
        _prioritize(real, listed)
    else:
        _require_our_app(task_name)
        _refuse_wrong_order()
        add_task(waiting, listed)


def prioritize_those_waiting() -> None:
    """What was asked for while Procrastinate's Django app was not ready yet."""
    app = procrastinate_app.current_app
    if isinstance(app, App):
        while waiting:
            _prioritize(app, waiting.popitem()[1])
    elif waiting:
        _refuse_wrong_order()


def _real(app: Any) -> Any:
    """What stands behind Procrastinate's `app` for Django now."""
    return procrastinate_app.current_app if app is procrastinate_app.app else app


def _require_our_app(task_name: str) -> None:
    """Without Procrastinate's there is nothing to wait for, and a system check says so."""
    if apps.is_installed(installation.THEIRS) and not apps.is_installed(installation.OURS):
        raise ImproperlyConfigured(
            f"prioritize(app, {shortened(task_name)}) is called before Procrastinate's app is "
            f"ready. Add {installation.OURS!r} to INSTALLED_APPS, after {installation.THEIRS!r}, "
            "or call it in PROCRASTINATE_ON_APP_READY."
        )


def _refuse_wrong_order() -> None:
    """At once: a web process runs no system checks."""
    if installation.in_wrong_order():
        raise ImproperlyConfigured(
            f"{installation.WRONG_ORDER} {installation.REMEDY} (doc_priority.E044)"
        )


def _prioritize(app: App, listed: PrioritizedTask) -> None:
    if not isinstance(app.job_manager, PrioritizingJobManager):
        app.job_manager = PrioritizingJobManager(app)
    add_task(app.job_manager.prioritized, listed)
