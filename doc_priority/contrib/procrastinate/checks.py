"""System checks of the tasks that Procrastinate is to give priorities to."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage
from django.db import router
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.jobs import DEFAULT_PRIORITY

from doc_priority.check_messages import SystemCheck
from doc_priority.contrib.calls import WHERE_HINT, PrioritizedTask
from doc_priority.contrib.procrastinate.job_manager import (
    PrioritizingJobManager,
    managers,
    postponed,
)
from doc_priority.validation import joined

OURS = "doc_priority.contrib.procrastinate"
THEIRS = "procrastinate.contrib.django"

_DID_YOU_MEAN = (
    "Did you mean {meant!r}? Give the task's name, and see that its module is imported "
    "(import_paths)."
)
E040_OTHER_NAME = SystemCheck(
    "E040",
    "The task {task!r} given to prioritize() is another name of {meant!r}, by which its jobs go; "
    "its jobs get no priority.",
    _DID_YOU_MEAN,
)
E040_UNKNOWN = SystemCheck(
    "E040",
    "The task {task!r} given to prioritize() is not known to the app; its jobs get no priority.",
    _DID_YOU_MEAN,
)
E041 = SystemCheck(
    "E041",
    "prioritize(app, {task!r}, {key}={where!r}) names {problem}.",
    "The arguments are {arguments}.",
)
E042 = SystemCheck(
    "E042",
    "The task {task!r} is declared with priority={priority}, and a priority of its own is left "
    "alone, so that the customer's is never given.",
    "Take the priority out of the task's decorator.",
)
_NOT_INSTALLED = f", and {THEIRS!r}, which makes them, is not in INSTALLED_APPS."
_INSTALL_THEIRS = f"Add {THEIRS!r} to INSTALLED_APPS and run `manage.py migrate`."
E043_NO_APP = SystemCheck(
    "E043",
    "{tasks} given to prioritize() wait for Procrastinate's app" + _NOT_INSTALLED,
    _INSTALL_THEIRS,
)
E043_NO_TABLES = SystemCheck(
    "E043",
    "Jobs go into Procrastinate's tables in the database {alias!r}" + _NOT_INSTALLED,
    _INSTALL_THEIRS,
)
E044 = SystemCheck(
    "E044",
    f"INSTALLED_APPS has {OURS!r} before {THEIRS!r}, so that tasks which Procrastinate imports as "
    "it gets ready would have no priority and be charged to nobody.",
    f"Put it after {THEIRS!r}.",
)
_NOT_ONE_TRANSACTION = (
    " and counters to the database {counters!r}: check and defer are not one transaction, and a "
    "document can be charged without being deferred."
)
_USE_ONE_DATABASE = (
    "Use the app of procrastinate.contrib.django with PROCRASTINATE_DATABASE_ALIAS = {counters!r}, "
    "or name a document, so that deferring it again charges nothing."
)
W040_OWN_CONNECTION = SystemCheck(
    "W040",
    "Jobs are written over {connector}, a connection of its own," + _NOT_ONE_TRANSACTION,
    _USE_ONE_DATABASE,
)
W040_OTHER_DATABASE = SystemCheck(
    "W040",
    "Jobs are written over the database {jobs!r}" + _NOT_ONE_TRANSACTION,
    _USE_ONE_DATABASE,
)
W041 = SystemCheck(
    "W041",
    "The task {task!r} is periodic. What Procrastinate defers by itself is charged to nobody and "
    "goes, with priority 0, before every document.",
    "Let a periodic task of its own defer the documents.",
)
W042 = SystemCheck(
    "W042",
    "prioritize(app, {task!r}) has {key}={where!r}, and no call has one there: {doubt}.",
    WHERE_HINT,
)


def check_apps(**kwargs: Any) -> list[CheckMessage]:
    """Every task that was named to `prioritize` gets its priorities."""
    found = []
    if postponed and not apps.is_installed(THEIRS):
        found.append(E043_NO_APP(tasks=joined(map(repr, postponed))))
    if in_wrong_order():
        found.append(E044())
    for manager in list(managers):
        found += _check_app(manager)
    return found


def in_wrong_order() -> bool:
    """Whether our app gets ready first; then `prioritize_postponed` would come too early."""
    names = [config.name for config in apps.get_app_configs()]
    return {OURS, THEIRS} <= set(names) and names.index(OURS) < names.index(THEIRS)


def _check_app(manager: PrioritizingJobManager) -> Iterator[CheckMessage]:
    home = manager.home
    counters = router.db_for_write(apps.get_model("doc_priority", "Counter"))
    if not isinstance(home, DjangoConnector):
        yield W040_OWN_CONNECTION(connector=type(home).__name__, counters=counters)
    else:
        if home.alias != counters:
            yield W040_OTHER_DATABASE(jobs=home.alias, counters=counters)
        if not apps.is_installed(THEIRS):
            yield E043_NO_TABLES(alias=home.alias)
    app = manager.app
    app.perform_import_paths()  # type: ignore[no-untyped-call]  # as Procrastinate has it
    for listed in manager.prioritized.values():
        yield from _check_listed(app, listed)


def _check_listed(app: Any, listed: PrioritizedTask) -> Iterator[CheckMessage]:
    name = listed.name
    task = app.tasks.get(name)
    if task is None:
        nearest = max(app.tasks, key=lambda known: _likeness(name, known))
        yield E040_UNKNOWN(task=name, meant=nearest)
        return
    if task.name != name:
        yield E040_OTHER_NAME(task=name, meant=task.name)
        return
    if task.priority != DEFAULT_PRIORITY:
        yield E042(task=name, priority=task.priority)
    if any(one.task is task for one in app.periodic_registry.periodic_tasks.values()):
        yield W041(task=name)
    for misfit in listed.misfits(task.func, takes_context=task.pass_context):
        said = {"task": name, "key": misfit.key, "where": misfit.where}
        if misfit.problem:
            known = ", ".join(misfit.names) or "none"
            yield E041(**said, problem=misfit.problem, arguments=known)
        else:
            yield W042(**said, doubt=misfit.doubt)


def _likeness(name: str, other: str) -> tuple[float, float]:
    """Of the last parts of two dotted names, and then of the whole."""
    last = SequenceMatcher(None, name.rpartition(".")[2], other.rpartition(".")[2])
    return last.ratio(), SequenceMatcher(None, name, other).ratio()
