"""How do the checks come to see tasks that nobody has imported yet?"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.apps import apps


def import_modules_of(app: Any, tasks: Iterable[str]) -> None:
    """Those in the tasks' names, and, for a name that is not there then, those it may come from.

    Celery's own way, `import_default_modules`, makes Django run all its checks, and so never ends.
    """
    for name in tasks:
        if exists(module := module_of(name)):
            import_module(module)
            for other in () if name in app.tasks else _others(app, name):
                import_module(other)


def _others(app: Any, name: str) -> Iterator[str]:
    """What the app includes, and the `tasks` of Django's apps in the same package as the name."""
    yield from (*app.conf.include, *app.conf.imports)
    package = name.partition(".")[0]
    for one in apps.get_app_configs():
        if one.name.partition(".")[0] == package and exists(f"{one.name}.tasks"):
            yield f"{one.name}.tasks"


def module_of(name: str) -> str:
    """The names of tasks usually are paths."""
    return name.rpartition(".")[0]


def exists(module: str) -> bool:
    try:
        return module != "" and find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):
        # Of a package that the module would lie in; of a module without a specification.
        return False
