"""A task for a queue that the backend does not have."""

from tests.contrib.tasks.portal import task


@task(queue_name="letters")
def post(customer_key: str) -> None:
    """Cannot even be declared."""
