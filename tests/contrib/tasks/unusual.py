"""Tasks that are declared in a way that a system check has something to say about."""

from datetime import UTC, datetime
from typing import Any

from tests.contrib.tasks.portal import process, task

renamed = process


@task(priority=5)
def hurried(customer_key: str) -> None:
    """Has a priority of its own."""


@task(backend="immediate")
def elsewhere(customer_key: str) -> None:
    """Goes to a backend without priorities."""


@task(backend="plain")
def unprioritized(customer_key: str) -> None:
    """Goes to a backend with priorities, which nobody sets."""


@task
def later(customer_key: str) -> None:
    """Waits for a time."""


later = later.using(run_after=datetime(2030, 1, 1, tzinfo=UTC))


@task
def anything(**given: Any) -> None:
    """Takes every argument."""


@task(takes_context=True)
def anything_with_context(context: Any, **given: Any) -> None:
    """Takes every argument besides its own."""


@task
def of_upload(upload: dict[str, Any]) -> None:
    """Has its customer within an argument."""


@task
def nothing() -> None:
    """Takes none."""


def no_task(customer_key: str) -> None:
    """Is not decorated."""
