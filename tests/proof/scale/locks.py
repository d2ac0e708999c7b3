"""How long anybody held locks on rows in this database, and how long anybody waited for one."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

EVERY = 0.005
LOOK = """
SELECT l.granted,
       EXTRACT(EPOCH FROM clock_timestamp() - CASE WHEN l.granted THEN a.xact_start
                                                   ELSE l.waitstart END)::float8 AS seconds,
       concat_ws(', ', left(split_part(a.query, ' WHERE', 1), 80), 'waiting for ' || a.wait_event)
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
 WHERE a.datname = current_database() AND (NOT l.granted OR l.mode = 'RowExclusiveLock')
 ORDER BY seconds
"""


class Watch:
    """What was seen so far, in seconds, and who held a lock for longest."""

    def __init__(self) -> None:
        self.held = self.waited = 0.0
        self.holder = "nobody"
        self.looks = 0
        self.seconds = 0.0
        """For so long there was something to look at, as who did it says."""

    def look(self, at: BaseDatabaseWrapper) -> None:
        with at.cursor() as cursor:
            cursor.execute(LOOK)
            for is_held, seconds, doing in cursor.fetchall():
                self._note(is_held, seconds or 0, doing)
        self.looks += 1

    def _note(self, is_held: bool, seconds: float, doing: str) -> None:
        if not is_held:
            self.waited = max(self.waited, seconds)
        elif seconds > self.held:
            self.held, self.holder = seconds, doing


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Look every few milliseconds, on a connection of its own."""
    over = Event()
    own = connection.copy()
    own.inc_thread_sharing()

    def work() -> None:
        while not over.wait(EVERY):
            watch.look(own)

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        own.close()
