"""A task for a backend that the settings do not have."""

from tests.contrib.tasks.portal import task


@task(backend="letters")
def post(customer_key: str) -> None:
    """Cannot even be declared."""
