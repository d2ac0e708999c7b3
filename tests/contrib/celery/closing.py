"""An app of Celery's keeps its connections when it is closed, until someone collects them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from celery import Celery
from kombu import pools

from doc_priority.contrib.celery import prioritized


@contextmanager
def closing(app: Celery) -> Iterator[Celery]:
    """Leaves no task prioritised and no connection open, another app's neither: they share them."""
    try:
        yield app
    finally:
        prioritized.forget(app)
        app.close()
        pools.reset()
        gc.collect()
