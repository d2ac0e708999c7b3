"""System checks of a backend that gives priorities, and of the tasks it lists.

The backend gives them out itself, so they come with every `manage.py check`; with
`doc_priority.contrib.tasks` installed they carry the tag `doc_priority` like all others.
"""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.core import checks
from django.core.checks import CheckMessage
from django.db import router
from django.utils.module_loading import import_string
from django_tasks_db.backend import DatabaseBackend

from doc_priority.contrib.calls import (
    WHERE_HINT,
    PrioritizedTask,
    argument_of,
    arguments_of,
    doubt_about,
)
from doc_priority.contrib.tasks.backend import PrioritizingBackend
from doc_priority.contrib.tasks.framework import (
    DEFAULT_TASK_PRIORITY,
    BaseTaskBackend,
    Task,
    TaskException,
    task_backends,
)
from doc_priority.contrib.tasks.listing import EXAMPLE, OPTION, nearest, problems_with
from doc_priority.models import Counter
from doc_priority.shortening import shortened

TAG = "doc_priority"
WITHOUT_A_QUEUE = {"DummyBackend", "ImmediateBackend"}
DATABASE_APP = "django_tasks_db"
GIVE_THE_PATH = (
    "Give the dotted path of the function that is decorated with @task, such as "
    "'portal.tasks.process'."
)
REMEDY = "'BACKEND': 'doc_priority.contrib.tasks.PriorityDatabaseBackend'"


def check_tasks(**kwargs: Any) -> list[CheckMessage]:
    """Every backend of the settings that is told to give priorities can do so."""
    return [message for backend in task_backends.all() for message in check_any(backend)]


def check_any(backend: BaseTaskBackend) -> Iterator[CheckMessage]:
    """The same for one backend, which need not be ours."""
    if isinstance(backend, PrioritizingBackend):
        yield from check_backend(backend)
    elif OPTION in backend.options:
        yield _without_priorities(backend, type(backend))


def check_backend(backend: PrioritizingBackend) -> Iterator[CheckMessage]:
    """Nothing stands between the tasks this backend lists and their priorities."""
    yield from _check_class(backend)
    problems = list(problems_with(backend.alias, backend.options))
    for problem in problems:
        yield _error("E030", problem, f"Write {EXAMPLE}.")
    for listed in () if problems else backend.prioritized.values():
        yield from _check_listed(backend, listed)


def _check_class(backend: PrioritizingBackend) -> Iterator[CheckMessage]:
    if not _keeps_an_order(backend):
        wrapped = next(one for one in type(backend).__mro__ if _is_wrapped(one))
        yield _without_priorities(backend, wrapped)
    if isinstance(backend, DatabaseBackend):
        yield from _check_database(backend)


def _keeps_an_order(backend: BaseTaskBackend) -> bool:
    """Those without a queue take any priority, and do nothing with it."""
    names = {one.__name__ for one in type(backend).__mro__}
    return backend.supports_priority and names.isdisjoint(WITHOUT_A_QUEUE)


def _is_wrapped(one: type) -> bool:
    return issubclass(one, BaseTaskBackend) and not issubclass(one, PrioritizingBackend)


def _check_database(backend: PrioritizingBackend) -> Iterator[CheckMessage]:
    if not apps.is_installed(DATABASE_APP):
        yield _error(
            "E037",
            f"TASKS[{backend.alias!r}] keeps its tasks in tables of {DATABASE_APP!r}, which is not "
            "in INSTALLED_APPS.",
            f"Add {DATABASE_APP!r} to INSTALLED_APPS and run `manage.py migrate`.",
        )
        return
    of_tasks = router.db_for_write(apps.get_model("django_tasks_database", "DBTaskResult"))
    of_counters = router.db_for_write(Counter)
    if of_tasks != of_counters:
        yield _error(
            "E036",
            f"Tasks are written to the database {of_tasks!r} and counters to {of_counters!r}: a "
            "document could be charged and not enqueued.",
            "Route 'doc_priority' and 'django_tasks_database' to one database (DATABASE_ROUTERS).",
        )


def _check_listed(backend: PrioritizingBackend, listed: PrioritizedTask) -> Iterator[CheckMessage]:
    place = f"TASKS[{backend.alias!r}]['OPTIONS'][{OPTION!r}][{listed.name!r}]"
    try:
        task = import_string(listed.name)
    except Exception as error:  # a portal's module may raise anything
        problem = f"the task cannot be imported: {type(error).__name__}: {error}"
        yield _no_task(place, problem, _remedy_of(error, backend, listed))
        return
    if not isinstance(task, Task):
        yield _no_task(place, f"this is no task but {shortened(task)}.", GIVE_THE_PATH)
        return
    yield from _check_task(backend, place, listed, task)
    yield from _check_arguments(place, listed, task)


def _no_task(place: str, problem: str, remedy: str) -> CheckMessage:
    return _error("E031", f"{place}: {problem}", remedy)


def _remedy_of(error: Exception, backend: PrioritizingBackend, listed: PrioritizedTask) -> str:
    module = listed.name.rpartition(".")[0]
    match error:
        case ModuleNotFoundError():
            return f"See that there is a module {error.name!r}. {GIVE_THE_PATH}"
        case TaskException():
            return (
                "See what @task is given; a queue must be in "
                f"TASKS[{backend.alias!r}]['QUEUES'], or of the backend that @task names."
            )
        case ImportError():
            return GIVE_THE_PATH
        case _:
            return (
                f"See that the module {module!r} can be imported, and that the backends its @task "
                "decorators name are in TASKS."
            )


def _check_task(
    backend: PrioritizingBackend, place: str, listed: PrioritizedTask, task: Any
) -> Iterator[CheckMessage]:
    if task.module_path != listed.name:
        yield _error(
            "E038",
            f"{place}: tasks go by the path of their function, and this one's is "
            f"{task.module_path!r}; by the path given here it gets no priority.",
            f"List it as {task.module_path!r}.",
        )
    if task.backend != backend.alias:
        yield _of_another_backend(backend, place, task)
    if task.priority != DEFAULT_TASK_PRIORITY:
        yield _error(
            "E035",
            f"{place}: the task is declared with priority={task.priority}, and a priority of its "
            "own is left alone, so that the customer's is never given.",
            "Take the priority out of the @task decorator.",
        )
    if task.run_after is not None:
        yield checks.Warning(
            f"{place}: the task is declared with run_after={task.run_after}; once due, it goes "
            "before all others of its level.",
            hint="Set run_after for the calls that need it: process.using(run_after=…).",
            id="doc_priority.W030",
        )


def _of_another_backend(backend: PrioritizingBackend, place: str, task: Any) -> CheckMessage:
    other = task.get_backend()
    without = "" if _keeps_an_order(other) else ", which keeps no order"
    return _error(
        "E032",
        f"{place}: the task is declared for the backend {task.backend!r} "
        f"({type(other).__name__}{without}) and never comes here.",
        f"Declare it with @task(backend={backend.alias!r}), or list it under "
        f"TASKS[{task.backend!r}] with {REMEDY}.",
    )


def _check_arguments(place: str, listed: PrioritizedTask, task: Any) -> Iterator[CheckMessage]:
    arguments = arguments_of(task.func, takes_context=task.takes_context)
    for key, where in (("customer", listed.customer), ("document", listed.document)):
        problem = arguments.problem_with(where)
        if problem:
            known = arguments.names
            meant = f"Did you mean {nearest(argument_of(where), known)}? " if known else ""
            yield _error(
                "E033",
                f"{place}[{key!r}] is {where!r}, {problem}.",
                f"{meant}The arguments are {', '.join(known) or 'none'}.",
            )
        elif doubt := doubt_about(task.func, where):
            yield checks.Warning(
                f"{place}[{key!r}] is {where!r}, and no call has one there: {doubt}.",
                hint=WHERE_HINT,
                id="doc_priority.W031",
            )


def _without_priorities(backend: BaseTaskBackend, wrapped: type) -> CheckMessage:
    if _keeps_an_order(backend):
        problem = f"keeps priorities but gives none: the option {OPTION!r} means nothing to it"
    else:
        problem = "keeps none: its tasks run in the order they come, or not at all"
    return _error(
        "E034",
        f"TASKS[{backend.alias!r}] is told to give priorities, and {wrapped.__name__} {problem}.",
        f"Use {REMEDY}, or put PrioritizingBackend before a backend that has supports_priority.",
    )


def _error(number: str, message: str, hint: str) -> CheckMessage:
    return checks.Error(message, hint=hint, id=f"doc_priority.{number}")
