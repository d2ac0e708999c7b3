"""Threads that begin at the same moment, and what must hold of their checks."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Barrier
from typing import Any, TypeVar

from django.db import connection, connections

from doc_priority.models import Counter

T = TypeVar("T")
PATIENCE = 60


def connect() -> None:
    connection.ensure_connection()


def in_threads(
    works: Sequence[Callable[[], T]],
    *,
    prepare: Callable[[], None] = connect,
    patience: float = PATIENCE,
) -> list[T]:
    """Do each work in a thread and on a connection of its own; give what they returned.

    Each prepares itself, and none begins before all have.
    """
    barrier = Barrier(len(works))

    def run(work: Callable[[], T]) -> T:
        try:
            prepare()
            barrier.wait(PATIENCE)
            return work()
        except BaseException:
            barrier.abort()
            raise
        finally:
            connections.close_all()

    pool = ThreadPoolExecutor(len(works))
    futures = [pool.submit(run, work) for work in works]
    pool.shutdown(wait=False)
    assert not wait(futures, timeout=patience).not_done, "some threads did not come to an end"
    return [future.result() for future in futures]


def assert_counted_exactly(decisions: Iterable[Any]) -> None:
    """Each customer's counts are 0, -1, …, each once, and their times do not go back."""
    of_customer: dict[str, list[Any]] = {}
    for one in decisions:
        of_customer.setdefault(one.customer, []).append(one)
    for key, counted in of_customer.items():
        counted.sort(key=lambda one: -one.pending_documents)
        assert [-one.pending_documents for one in counted] == list(range(len(counted)))
        times = [one.decided_at for one in counted]
        assert times == sorted(times)
        counter = Counter.objects.get(customer=key)
        assert (counter.pending_documents, counter.updated_at) == (1 - len(counted), times[-1])
