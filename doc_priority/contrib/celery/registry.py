"""The prioritised tasks of every app, by their names."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any
from weakref import WeakKeyDictionary

from doc_priority.contrib.calls import PrioritizedTask

Tasks = dict[str, PrioritizedTask]

_tasks: "WeakKeyDictionary[Any, Tasks]" = WeakKeyDictionary()


def tasks_of(app: Any) -> Tasks:
    """The app's tasks by their names; the dict that later ones are put into, too."""
    return _tasks.setdefault(app, {})


def all_apps() -> Iterator[tuple[Any, Tasks]]:
    yield from sorted(_tasks.items(), key=lambda item: str(item[0].main))


def forget(app: Any) -> None:
    """Leave the app out of the system checks; nothing else changes."""
    _tasks.pop(app, None)


def module_of(task: str) -> str:
    """The module in a task's name, which usually is the path of its function."""
    return task.rpartition(".")[0]


def module_exists(module: str) -> bool:
    try:
        return module != "" and find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):
        # The package that it would lie in is missing; or it was loaded without a specification.
        return False
