"""What goes on in a thread of its own while something else is done."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

from django.db import connections


@contextmanager
def beside(work: Callable[[Event], None]) -> Iterator[None]:
    """Until the block is left, which sets the event; what fails there fails here."""
    ended = Event()

    def work_and_hang_up() -> None:
        try:
            work(ended)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work_and_hang_up)
        try:
            yield
        finally:
            ended.set()
        done.result()
