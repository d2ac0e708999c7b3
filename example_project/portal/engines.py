"""The queue the portal hands its documents to: Django tasks here, Celery in `celery_engine`."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from doc_priority.contrib.tasks.recovering import put_back_abandoned
from example_project.portal.tasks import process

ENGINES = {
    "tasks": "example_project.portal.engines.DjangoTasks",
    "celery": "example_project.portal.celery_engine.CeleryOnRedis",
}


class QueueDown(Exception):  # noqa: N818 - says what happened
    """The queue did not take the documents; what it took already is processed once all the same."""


class Engine:
    """What the portal needs of the engine it runs on; by default there is nothing to do for it."""

    name: str
    order: str | Promise  # in which documents are taken, in words
    worker: tuple[str, ...]  # its program, as `python -m` is told it
    put: Callable[[str, Sequence[str]], list[int]]
    """Queues documents of a customer (its key, their references) in the transaction that writes
    them, and gives the number of each by which workers order them. What is queued stays there."""

    def require(self) -> None:
        """Raise `ImproperlyConfigured`, with what to do, unless the engine can be used."""

    def put_back_abandoned(self) -> None:
        """Queue again what a worker took and never finished. No worker may run."""

    def empty(self) -> None:
        """Forget what is queued outside of the database, before all that waits is put there."""


def current() -> Engine:
    """The engine that the setting ENGINE names."""
    name = getattr(settings, "ENGINE", "tasks")
    if name not in ENGINES:
        raise ImproperlyConfigured(
            f"ENGINE={name} is no engine the portal knows. "
            f"Choose {' or '.join(ENGINES)}: make demo ENGINE=celery"
        )
    engine: Engine = import_string(ENGINES[name])()
    return engine


class DjangoTasks(Engine):
    """In the portal's own database: a document, its count and its task are one transaction."""

    name = "Django tasks in the database"
    order = _(
        "The document at place 1 is processed next: best priority first; within priority 9, "
        "customers who sent less; then first come, first served."
    )
    worker = ("django", "db_worker", "--interval", "0.3", "--no-startup-delay")

    def put(self, client_key: str, references: Sequence[str]) -> list[int]:
        results = [process.enqueue(client_key=client_key, reference=one) for one in references]
        # A higher number goes first.
        return [-result.task.priority for result in results]

    def put_back_abandoned(self) -> None:
        put_back_abandoned(older_than=timedelta())
