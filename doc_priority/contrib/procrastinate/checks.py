"""System checks of the tasks that Procrastinate is to give priorities to."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from django.apps import apps
from django.core import checks
from django.core.checks import CheckMessage
from django.db import router
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.jobs import DEFAULT_PRIORITY

from doc_priority.contrib.calls import WHERE_HINT, PrioritizedTask, arguments_of, doubt_about
from doc_priority.contrib.procrastinate.installation import (
    REMEDY,
    THEIRS,
    WRONG_ORDER,
    in_wrong_order,
)
from doc_priority.contrib.procrastinate.job_manager import (
    PrioritizingJobManager,
    managers,
    waiting,
)
from doc_priority.shortening import joined

TAG = "doc_priority"


def check_apps(**kwargs: Any) -> list[CheckMessage]:
    """Every task that was named to `prioritize` gets its priorities."""
    of_apps = [message for manager in list(managers) for message in _check_app(manager)]
    return [*_check_installation(), *of_apps]


def _check_installation() -> Iterator[CheckMessage]:
    if waiting and not apps.is_installed(THEIRS):
        tasks = joined(map(repr, waiting))
        yield _not_installed(f"{tasks} given to prioritize() wait for Procrastinate's app")
    if in_wrong_order():
        yield _error("E044", WRONG_ORDER, REMEDY)


def _check_app(manager: PrioritizingJobManager) -> Iterator[CheckMessage]:
    yield from _check_connector(manager)
    app = manager.app
    app.perform_import_paths()  # type: ignore[no-untyped-call]  # as Procrastinate has it
    for listed in manager.prioritized.values():
        yield from _check_listed(app, listed)


def _check_connector(manager: PrioritizingJobManager) -> Iterator[CheckMessage]:
    counters = router.db_for_write(apps.get_model("doc_priority", "Counter"))
    home = manager.home
    if not isinstance(home, DjangoConnector):
        yield _not_one_transaction(f"{type(home).__name__}, a connection of its own,", counters)
        return
    if home.alias != counters:
        yield _not_one_transaction(f"the database {home.alias!r}", counters)
    if not apps.is_installed(THEIRS):
        yield _not_installed(f"Jobs go into Procrastinate's tables in the database {home.alias!r}")


def _not_installed(what: str) -> CheckMessage:
    return _error(
        "E043",
        f"{what}, and {THEIRS!r}, which makes them, is not in INSTALLED_APPS.",
        f"Add {THEIRS!r} to INSTALLED_APPS and run `manage.py migrate`.",
    )


def _not_one_transaction(jobs: str, counters: str) -> CheckMessage:
    return _warning(
        "W040",
        f"Jobs are written over {jobs} and counters to the database {counters!r}: check and defer "
        "are not one transaction, and a document can be charged without being deferred.",
        "Use the app of procrastinate.contrib.django with PROCRASTINATE_DATABASE_ALIAS = "
        f"{counters!r}, or name a document, so that deferring it again charges nothing.",
    )


def _check_listed(app: Any, listed: PrioritizedTask) -> Iterator[CheckMessage]:
    task = app.tasks.get(listed.name)
    if task is None or task.name != listed.name:
        yield _unknown(app, listed, task)
        return
    if task.priority != DEFAULT_PRIORITY:
        yield _error(
            "E042",
            f"The task {listed.name!r} is declared with priority={task.priority}, and a priority "
            "of its own is left alone, so that the customer's is never given.",
            "Take the priority out of the task's decorator.",
        )
    if any(one.task is task for one in app.periodic_registry.periodic_tasks.values()):
        yield _warning(
            "W041",
            f"The task {listed.name!r} is periodic. What Procrastinate defers by itself is charged "
            "to nobody and goes, with priority 0, before every document.",
            "Let a periodic task of its own defer the documents.",
        )
    yield from _check_arguments(listed, task)


def _unknown(app: Any, listed: PrioritizedTask, task: Any) -> CheckMessage:
    if task is not None:
        problem = f"is another name of {task.name!r}, by which its jobs go"
        meant = task.name
    else:
        problem = "is not known to the app"
        meant = max(app.tasks, key=lambda name: _likeness(listed.name, name))
    return _error(
        "E040",
        f"The task {listed.name!r} given to prioritize() {problem}; its jobs get no priority.",
        f"Did you mean {meant!r}? Give the task's name, and see that its module is imported "
        "(import_paths).",
    )


def _likeness(name: str, other: str) -> tuple[float, float]:
    """Of the last parts of two dotted names, and then of the whole."""
    last = SequenceMatcher(None, name.rpartition(".")[2], other.rpartition(".")[2])
    return last.ratio(), SequenceMatcher(None, name, other).ratio()


def _check_arguments(listed: PrioritizedTask, task: Any) -> Iterator[CheckMessage]:
    arguments = arguments_of(task.func, takes_context=task.pass_context)
    for key, where in (("customer", listed.customer), ("document", listed.document)):
        problem = arguments.problem_with(where)
        if problem:
            yield _error(
                "E041",
                f"prioritize(app, {listed.name!r}, {key}={where!r}) names {problem}.",
                f"The arguments are {', '.join(arguments.names) or 'none'}.",
            )
        elif doubt := doubt_about(task.func, where):
            yield _warning(
                "W042",
                f"prioritize(app, {listed.name!r}) has {key}={where!r}, and no call has one there: "
                f"{doubt}.",
                WHERE_HINT,
            )


def _error(number: str, message: str, hint: str) -> CheckMessage:
    return checks.Error(message, hint=hint, id=f"doc_priority.{number}")


def _warning(number: str, message: str, hint: str) -> CheckMessage:
    return checks.Warning(message, hint=hint, id=f"doc_priority.{number}")
