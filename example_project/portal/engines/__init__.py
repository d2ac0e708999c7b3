"""The queue the portal hands its documents to: one module for each engine it can run on.

The rest of the portal knows only what is in `Engine`.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import ClassVar, Protocol

from django.conf import settings
from django.utils.functional import Promise
from django.utils.module_loading import import_string

ENGINES = {
    "tasks": "example_project.portal.engines.django_tasks.DjangoTasks",
    "celery": "example_project.portal.engines.celery.CeleryOnRedis",
}


class EngineError(Exception):
    """The engine that was asked for cannot be used; the message says what to do."""


class QueueDown(Exception):  # noqa: N818 - says what happened
    """The queue did not take the documents; what it took already is processed once all the same."""


class Engine(Protocol):
    """What the portal needs of the engine it runs on."""

    name: ClassVar[str]
    order: ClassVar[str | Promise]
    """In which order documents are taken, in words."""
    worker: ClassVar[tuple[str, ...]]
    """The worker's program, as `python -m` is told it."""

    def require(self) -> None:
        """Raise `EngineError` unless the engine can be used."""

    def put(self, client_key: str, references: Sequence[str]) -> list[int]:
        """Queue documents, and give the number of each by which workers order them.

        Called in the transaction that writes the documents. What is queued already stays there.
        """

    def put_back_abandoned(self, *, older_than: timedelta) -> None:
        """Queue again what a worker took so long ago and never finished."""

    def empty(self) -> None:
        """Forget what is queued outside of the database, before all that waits is put there."""


def current() -> Engine:
    """The engine that the setting ENGINE names."""
    name = getattr(settings, "ENGINE", "tasks")
    if name not in ENGINES:
        raise EngineError(
            f"ENGINE={name} is no engine the portal knows. "
            f"Choose {' or '.join(ENGINES)}: make demo ENGINE=celery"
        )
    try:
        engine: Engine = import_string(ENGINES[name])()
    except ImportError as error:
        raise EngineError(
            f"ENGINE={name} needs what is not installed ({error}). "
            f"make demo ENGINE={name} installs it."
        ) from error
    return engine
