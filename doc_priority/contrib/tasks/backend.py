"""The backend that gives a task the priority of its customer, and its option `prioritize`."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from asgiref.sync import sync_to_async
from django.apps import apps
from django.core.checks import CheckMessage
from django.core.exceptions import ImproperlyConfigured
from django_tasks_db.backend import DatabaseBackend
from django_tasks_db.compat import DEFAULT_TASK_PRIORITY, BaseTaskBackend

from doc_priority.check_messages import SystemCheck
from doc_priority.contrib.calls import TERMS, PrioritizedTask, problem_with
from doc_priority.validation import shortened

OPTION = "prioritize"

_OPTIONS = "TASKS[{alias!r}]['OPTIONS']"
PLACE = f"{_OPTIONS}['prioritize'][{{path}}]"
"""The place of a task in the settings, for messages."""
_EXAMPLE = (
    "Write 'OPTIONS': {{'prioritize': {{'portal.tasks.process': "
    "{{'customer': 'customer_key', 'document': 'document_id'}}}}}}."
)


def _e030(message: str) -> SystemCheck:
    return SystemCheck("E030", message, _EXAMPLE)


E030_LEFT_OUT = _e030(f"{_OPTIONS} has no 'prioritize', so no task gets a priority.")
E030_MISSPELT = _e030(
    f"{_OPTIONS} has no 'prioritize' (but {{similar!r}}), so no task gets a priority."
)
E030_EMPTY = _e030(f"{_OPTIONS}['prioritize'] is {{value}}, not a dict with a task in it.")
E030_NO_PATH = _e030(f"{PLACE}: the task is not named by its dotted path.")
E030_NO_NAMES = _e030(f"{PLACE} is {{value}}, not a dict of arguments' names.")
E030_UNKNOWN_KEY = _e030(f"{PLACE} has an unknown key {{key}}; did you mean {{nearest!r}}?")
E030_NO_CUSTOMER = _e030(f"{PLACE} does not say which argument names the customer.")
E030_VALUE = _e030(f"{PLACE}[{{key!r}}] is {{value}}, {{problem}}")


class PrioritizingBackend(BaseTaskBackend):
    """A mixin for a backend that supports priorities: `class Ours(PrioritizingBackend, Theirs)`.

    A listed task that is enqueued without a priority is counted for its customer and gets the
    priority that follows.
    """

    @cached_property
    def prioritized(self) -> Mapping[str, PrioritizedTask]:
        """The listed tasks by their path; ImproperlyConfigured names everything that is wrong."""
        problems = list(problems_with(self.alias, self.options))
        if problems:
            said = " ".join(problem.msg for problem in problems)
            raise ImproperlyConfigured(f"{said} {problems[0].hint}")
        listed = self.options[OPTION].items()
        return {path: PrioritizedTask(path, **names) for path, names in listed}

    def enqueue(self, task: Any, args: Any, kwargs: Any) -> Any:
        if not self._gives_priority_to(task):
            return super().enqueue(task, args, kwargs)
        self.validate_task(task)
        # Loads the models, which must not be loaded where tasks are declared.
        from doc_priority.contrib.tasks.enqueuing import enqueue

        return enqueue(self, super().enqueue, task, args, kwargs)

    async def aenqueue(self, task: Any, args: Any, kwargs: Any) -> Any:
        if not self._gives_priority_to(task):
            return await super().aenqueue(task, args, kwargs)
        return await sync_to_async(self.enqueue)(task, args, kwargs)

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        """The checks of the wrapped backend and, without our app, those of the priorities."""
        messages = [*super().check(**kwargs)]
        if not apps.is_installed(__package__):
            from doc_priority.contrib.tasks.checks import check_backend

            messages += check_backend(self)
        return messages

    def _gives_priority_to(self, task: Any) -> bool:
        """A task with a priority of its own keeps it. A priority of 0 looks like the default."""
        return task.module_path in self.prioritized and task.priority == DEFAULT_TASK_PRIORITY


class PriorityDatabaseBackend(PrioritizingBackend, DatabaseBackend):
    """Keeps tasks in the database, and counts a document if and only if it is enqueued."""


def problems_with(alias: str, options: Any) -> Iterator[CheckMessage]:
    """What is wrong with the shape of the option `prioritize`."""
    given = options.get(OPTION) if isinstance(options, dict) else None
    if given is None:
        similar = get_close_matches(OPTION, map(str, options or ()), n=1)
        if similar:
            yield E030_MISSPELT(alias=alias, similar=similar[0])
        else:
            yield E030_LEFT_OUT(alias=alias)
        return
    if not isinstance(given, dict) or not given:
        yield E030_EMPTY(alias=alias, value=shortened(given))
        return
    for path, names in given.items():
        yield from _problems_with_task(alias, path, names)


def _problems_with_task(alias: str, path: Any, names: Any) -> Iterator[CheckMessage]:
    place = {"alias": alias, "path": shortened(path)}
    if not isinstance(path, str):
        yield E030_NO_PATH(**place)
    if not isinstance(names, dict):
        yield E030_NO_NAMES(**place, value=shortened(names))
        return
    if "customer" not in names:
        yield E030_NO_CUSTOMER(**place)
    for key, value in names.items():
        if key not in TERMS:
            yield E030_UNKNOWN_KEY(**place, key=shortened(key, 80), nearest=nearest(key, TERMS))
        elif problem := problem_with(key, value):
            yield E030_VALUE(**place, key=key, value=shortened(value, 80), problem=problem)


def nearest(name: object, known: Sequence[str]) -> str:
    """The known name that is most similar to this one."""
    return get_close_matches(str(name).lower(), known, n=1, cutoff=0)[0]
