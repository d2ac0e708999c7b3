"""System checks of a backend that gives priorities, and of the tasks it lists.

The backend gives them out itself, so they come with every `manage.py check`; with
`doc_priority.contrib.tasks` installed they carry the tag `doc_priority` like all others.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage
from django.db import router
from django.utils.module_loading import import_string
from django_tasks_db.backend import DatabaseBackend
from django_tasks_db.compat import (
    DEFAULT_TASK_PRIORITY,
    BaseTaskBackend,
    Task,
    TaskResultDoesNotExist,
    task_backends,
)

from doc_priority.check_messages import SystemCheck
from doc_priority.contrib.calls import WHERE_HINT, PrioritizedTask, argument_of
from doc_priority.contrib.tasks.backend import (
    OPTION,
    PLACE,
    PrioritizingBackend,
    nearest,
    problems_with,
)
from doc_priority.models import Counter
from doc_priority.validation import shortened

TaskException: type[Exception] = import_module(TaskResultDoesNotExist.__module__).TaskException
"""What Django or its backport raises for a wrong task; `compat` does not name it."""

WITHOUT_A_QUEUE = {"DummyBackend", "ImmediateBackend"}

_GIVE_THE_PATH = (
    "Give the dotted path of the function that is decorated with @task, such as "
    "'portal.tasks.process'."
)
_OUR_BACKEND = "'BACKEND': 'doc_priority.contrib.tasks.PriorityDatabaseBackend'"


def _e031(hint: str) -> SystemCheck:
    return SystemCheck("E031", f"{PLACE}: the task cannot be imported: {{error}}", hint)


E031_NO_MODULE = _e031(f"See that there is a module {{module!r}}. {_GIVE_THE_PATH}")
E031_REFUSED = _e031(
    "See what @task is given; a queue must be in TASKS[{alias!r}]['QUEUES'], or of the backend "
    "that @task names."
)
E031_NOT_THERE = _e031(_GIVE_THE_PATH)
E031_RAISES = _e031(
    "See that the module {module!r} can be imported, and that the backends its @task decorators "
    "name are in TASKS."
)
E031_NO_TASK = SystemCheck("E031", f"{PLACE}: this is no task but {{value}}.", _GIVE_THE_PATH)
E032 = SystemCheck(
    "E032",
    f"{PLACE}: the task is declared for the backend {{other!r}} ({{kind}}) and never comes here.",
    f"Declare it with @task(backend={{alias!r}}), or list it under TASKS[{{other!r}}] with "
    f"{_OUR_BACKEND}.",
)
_NO_ARGUMENT = f"{PLACE}[{{key!r}}] is {{where!r}}, {{problem}}."
E033 = SystemCheck("E033", _NO_ARGUMENT, "Did you mean {nearest!r}? The arguments are {arguments}.")
E033_NO_ARGUMENTS = SystemCheck("E033", _NO_ARGUMENT, "The arguments are none.")
_IS_TOLD_TO = "TASKS[{alias!r}] is told to give priorities, and {backend} "
_USE_OURS = (
    f"Use {_OUR_BACKEND}, or put PrioritizingBackend before a backend that has supports_priority."
)
E034_GIVES_NONE = SystemCheck(
    "E034",
    _IS_TOLD_TO + "keeps priorities but gives none: the option 'prioritize' means nothing to it.",
    _USE_OURS,
)
E034_KEEPS_NONE = SystemCheck(
    "E034",
    _IS_TOLD_TO + "keeps none: its tasks run in the order they come, or not at all.",
    _USE_OURS,
)
E035 = SystemCheck(
    "E035",
    f"{PLACE}: the task is declared with priority={{priority}}, and a priority of its own is left "
    "alone, so that the customer's is never given.",
    "Take the priority out of the @task decorator.",
)
E036 = SystemCheck(
    "E036",
    "Tasks are written to the database {tasks!r} and counters to {counters!r}: a document could be "
    "charged and not enqueued.",
    "Route 'doc_priority' and 'django_tasks_database' to one database (DATABASE_ROUTERS).",
)
E037 = SystemCheck(
    "E037",
    "TASKS[{alias!r}] keeps its tasks in tables of 'django_tasks_db', which is not in "
    "INSTALLED_APPS.",
    "Add 'django_tasks_db' to INSTALLED_APPS and run `manage.py migrate`.",
)
E038 = SystemCheck(
    "E038",
    f"{PLACE}: tasks go by the path of their function, and this one's is {{own!r}}; by the path "
    "given here it gets no priority.",
    "List it as {own!r}.",
)
W030 = SystemCheck(
    "W030",
    f"{PLACE}: the task is declared with run_after={{run_after}}; once due, it goes before all "
    "others of its level.",
    "Set run_after for the calls that need it: process.using(run_after=…).",
)
W031 = SystemCheck(
    "W031",
    f"{PLACE}[{{key!r}}] is {{where!r}}, and no call has one there: {{doubt}}.",
    WHERE_HINT,
)


def check_tasks(**kwargs: Any) -> list[CheckMessage]:
    """Every backend of the settings that is told to give priorities can do so."""
    return [message for backend in task_backends.all() for message in check_backend(backend)]


def check_backend(backend: BaseTaskBackend) -> Iterator[CheckMessage]:
    """Nothing stands between the tasks this backend lists and their priorities."""
    if not isinstance(backend, PrioritizingBackend):
        if OPTION in backend.options:
            check = E034_GIVES_NONE if _keeps_an_order(backend) else E034_KEEPS_NONE
            yield check(alias=backend.alias, backend=type(backend).__name__)
        return
    if not _keeps_an_order(backend):
        kinds = [kind for kind in type(backend).__mro__ if issubclass(kind, BaseTaskBackend)]
        wrapped = next(kind for kind in kinds if not issubclass(kind, PrioritizingBackend))
        yield E034_KEEPS_NONE(alias=backend.alias, backend=wrapped.__name__)
    if isinstance(backend, DatabaseBackend):
        yield from _check_database(backend)
    problems = list(problems_with(backend.alias, backend.options))
    yield from problems
    for listed in () if problems else backend.prioritized.values():
        yield from _check_listed(backend, listed)


def _keeps_an_order(backend: BaseTaskBackend) -> bool:
    """Those without a queue take any priority, and do nothing with it."""
    names = {one.__name__ for one in type(backend).__mro__}
    return backend.supports_priority and names.isdisjoint(WITHOUT_A_QUEUE)


def _check_database(backend: PrioritizingBackend) -> Iterator[CheckMessage]:
    """Tasks have their tables, in the database that counters are written to."""
    if not apps.is_installed("django_tasks_db"):
        yield E037(alias=backend.alias)
        return
    of_tasks = router.db_for_write(apps.get_model("django_tasks_database", "DBTaskResult"))
    of_counters = router.db_for_write(Counter)
    if of_tasks != of_counters:
        yield E036(tasks=of_tasks, counters=of_counters)


def _check_listed(backend: PrioritizingBackend, listed: PrioritizedTask) -> Iterator[CheckMessage]:
    """The task is there, and comes to this backend without a priority of its own."""
    place = {"alias": backend.alias, "path": repr(listed.name)}
    try:
        task = import_string(listed.name)
    except Exception as error:  # a portal's module may raise anything
        yield _not_imported(place, listed.name, error)
        return
    if not isinstance(task, Task):
        yield E031_NO_TASK(**place, value=shortened(task))
        return
    if task.module_path != listed.name:
        yield E038(**place, own=task.module_path)
    if task.backend != backend.alias:
        other = task.get_backend()
        kind = type(other).__name__ + ("" if _keeps_an_order(other) else ", which keeps no order")
        yield E032(**place, other=task.backend, kind=kind)
    if task.priority != DEFAULT_TASK_PRIORITY:
        yield E035(**place, priority=task.priority)
    if task.run_after is not None:
        yield W030(**place, run_after=task.run_after)
    yield from _check_arguments(place, listed, task)


def _check_arguments(
    place: dict[str, str], listed: PrioritizedTask, task: Any
) -> Iterator[CheckMessage]:
    for misfit in listed.misfits(task.func, takes_context=task.takes_context):
        said = {**place, "key": misfit.key, "where": misfit.where}
        if misfit.problem and misfit.names:
            meant = nearest(argument_of(misfit.where), misfit.names)
            known = ", ".join(misfit.names)
            yield E033(**said, problem=misfit.problem, nearest=meant, arguments=known)
        elif misfit.problem:
            yield E033_NO_ARGUMENTS(**said, problem=misfit.problem)
        else:
            yield W031(**said, doubt=misfit.doubt)


def _not_imported(place: dict[str, str], path: str, error: Exception) -> CheckMessage:
    said = {**place, "error": f"{type(error).__name__}: {error}"}
    match error:
        case ModuleNotFoundError():
            return E031_NO_MODULE(**said, module=error.name)
        case TaskException():
            return E031_REFUSED(**said)
        case ImportError():
            return E031_NOT_THERE(**said)
        case _:
            return E031_RAISES(**said, module=path.rpartition(".")[0])
