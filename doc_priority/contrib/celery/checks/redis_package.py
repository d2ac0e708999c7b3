"""Is the redis package there, in a version that Celery takes?"""

from collections.abc import Iterator
from importlib import import_module, metadata
from typing import Any

from django.core.checks import CheckMessage, Error

from doc_priority.contrib.celery.prioritized import Tasks


def look_at_package(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    if problem := _problem():
        yield Error(
            f"{app.main}: Celery cannot use Redis here: {problem}",
            hint="pip install 'celery[redis]', which brings a redis that Celery takes and what "
            "else it needs; celery and redis named apart do not.",
            id="doc_priority.E025",
        )


def _problem() -> str:
    try:
        transport = import_module("kombu.transport.redis")
    except ImportError as error:
        return f"{error}."
    if transport.redis is None:
        return "the package redis is not installed."
    return _problem_with(metadata.version("redis"))


def _problem_with(version: str) -> str:
    requirements = import_module("packaging.requirements")  # comes with celery[redis]
    for line in metadata.requires("kombu") or ():
        wanted = requirements.Requirement(line)
        if wanted.name == "redis" and version not in wanted.specifier:
            return f"redis {version} is installed, and kombu takes {wanted.specifier}."
    return ""


LOOKS = (look_at_package,)
