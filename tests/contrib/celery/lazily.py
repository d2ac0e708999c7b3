"""A module of tasks that nobody has imported when the first of them is called by name."""

from celery import current_app


@current_app.task(shared=False)
def consume(source: str, customer: str) -> None:
    """A document, whose customer is not the first argument."""
