"""Under which configuration would Celery ignore, merge or lose priorities unnoticed?

`prioritize` registers these system checks: `manage.py check` runs those that read the configuration
and import the prioritised tasks, `manage.py check --deploy` also those that ask the broker.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.apps import apps
from django.core import checks
from django.core.checks import CheckMessage

from doc_priority.contrib.celery import broker, prioritized
from doc_priority.contrib.celery.checks import (
    calling,
    differing,
    importing,
    live,
    misnamed,
    prefetching,
    priorities,
    queues,
    redis_package,
    routing,
    shared,
    steps,
)
from doc_priority.contrib.celery.prioritized import Tasks
from doc_priority.contrib.levels import Engine
from doc_priority.exceptions import TransportWithoutPriorities

TAG = "doc_priority"

Look = Callable[[Any, Tasks], Iterator[CheckMessage]]

_OF_ALL: Sequence[Look] = (
    *misnamed.LOOKS,
    *shared.LOOKS,
    *calling.LOOKS,
    *prefetching.LOOKS,
    *priorities.LOOKS,
    *routing.LOOKS,
)
_OF_ENGINE: dict[Engine, Sequence[Look]] = {
    Engine.CELERY_REDIS: (*redis_package.LOOKS, *steps.LOOKS, *differing.REDIS_LOOKS),
    Engine.CELERY_RABBITMQ: (*queues.LOOKS, *differing.RABBITMQ_LOOKS),
}


def register() -> None:
    """Once, however often it is called: Django keeps each check once."""
    checks.register(check_configuration, TAG)
    checks.register(check_broker, TAG, deploy=True)


def check_configuration(**kwargs: Any) -> list[CheckMessage]:
    """What the configuration of every app with prioritised tasks says."""
    return [message for app, tasks in prioritized.all_apps() for message in _read(app, tasks)]


def check_broker(**kwargs: Any) -> list[CheckMessage]:
    """What the broker of every such app, and the workers that listen there, say."""
    return [message for app, tasks in prioritized.all_apps() for message in _asked(app, tasks)]


def _read(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    if not apps.is_installed("doc_priority"):
        yield _not_installed(app)
        return
    importing.import_modules_of(app, tasks)
    try:
        engine = broker.engine_of(app)
    except TransportWithoutPriorities as error:
        yield _refused(app, error)
        return
    for look in (*_OF_ALL, *_OF_ENGINE[engine]):
        yield from look(app, tasks)


def _not_installed(app: Any) -> CheckMessage:
    return checks.Error(
        f"{app.main} has prioritised tasks, and 'doc_priority' is not in INSTALLED_APPS: every "
        "call of them fails.",
        hint="Put 'doc_priority' into INSTALLED_APPS and run manage.py migrate.",
        id="doc_priority.E050",
    )


def _refused(app: Any, error: TransportWithoutPriorities) -> CheckMessage:
    return checks.Error(
        f"{app.main}: {error}".removesuffix(broker.REMEDY).rstrip(),
        hint=broker.REMEDY,
        id="doc_priority.E020",
    )


def _asked(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    try:
        engine = broker.engine_of(app)
    except TransportWithoutPriorities:
        return  # said by the other check
    yield from live.look(app, tasks, engine=engine)
