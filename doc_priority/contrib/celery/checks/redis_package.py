"""Is the redis package there, in a version that Celery takes?"""

from collections.abc import Iterator
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as CheckWarning

from doc_priority.contrib.celery.prioritized import Tasks

_HINT = (
    "pip install 'celery[redis]', which brings a redis that Celery takes and what else it needs; "
    "celery and redis named apart do not."
)


def look_at_package(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    if problem := _problem():
        yield Error(
            f"{app.main}: Celery cannot use Redis here: {problem}",
            hint=_HINT,
            id="doc_priority.E025",
        )
        return
    version = metadata.version("redis")
    requirements = import_module("packaging.requirements")  # comes with celery[redis]
    for line in metadata.requires("kombu") or ():
        wanted = requirements.Requirement(line)
        if wanted.name == "redis" and version not in wanted.specifier:
            yield CheckWarning(
                f"{app.main}: redis {version} is installed, and kombu is made for redis "
                f"{wanted.specifier}. It can be imported; that all of it works is not known.",
                hint=_HINT,
                id="doc_priority.W018",
            )


def _problem() -> str:
    """Why the transport cannot be imported, or what it could not import."""
    if find_spec("redis") is None:
        return "the package redis is not installed."
    try:
        transport = import_module("kombu.transport.redis")
    except ImportError as error:
        return f"{error}."
    return "" if transport.redis else "the package redis cannot be imported."


LOOKS = (look_at_package,)
