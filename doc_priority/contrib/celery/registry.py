"""The prioritised tasks of every app, by name."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any
from weakref import WeakKeyDictionary

from doc_priority.contrib.calls import PrioritizedTask

Tasks = dict[str, PrioritizedTask]

_tasks: "WeakKeyDictionary[Any, Tasks]" = WeakKeyDictionary()


def tasks_of(app: Any) -> Tasks:
    """The app's prioritised tasks by name; later ones are added to the same dict."""
    return _tasks.setdefault(app, {})


def all_apps() -> Iterator[tuple[Any, Tasks]]:
    yield from sorted(_tasks.items(), key=lambda item: str(item[0].main))


def forget(app: Any) -> None:
    """Leave the app out of the system checks; nothing else changes."""
    _tasks.pop(app, None)


def module_of(task: str) -> str:
    """The module in a task's name, usually its function's; empty if there is no such module."""
    module = task.rpartition(".")[0]
    try:
        return module if module and find_spec(module) else ""
    except (ModuleNotFoundError, ValueError):
        return ""  # the package around it is missing, or it was loaded without a specification
