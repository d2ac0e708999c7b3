"""What does a worker refuse before it takes its first document?"""

from typing import Any

from celery import bootsteps

from doc_priority.contrib.celery import broker


class PrioritiesAreKept(bootsteps.Step):  # type: ignore[misc]  # Celery has no types
    """A transport without priorities ends the worker at its start."""

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        broker.engine_of(parent.app)
        super().__init__(parent, **kwargs)


def refuse_transports_without_priorities(app: Any) -> None:
    app.steps["worker"].add(PrioritiesAreKept)
