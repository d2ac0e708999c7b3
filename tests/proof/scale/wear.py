"""What many checks leave behind in the tables, on a server of its own that is as it comes."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from threading import Event

from django.core.management import call_command
from django.db import connection

from doc_priority.models import Counter
from tests.elsewhere import connection_elsewhere
from tests.private_postgresql import private_postgresql
from tests.proof.scale.filling import fill
from tests.proof.workers import workers

MEGABYTE = 1024 * 1024
PATIENCE = 150
URL = "postgres://{USER}@{HOST}:{PORT}/{NAME}"
LOOK = """
SELECT n_live_tup, n_dead_tup, n_tup_upd, n_tup_hot_upd, autovacuum_count,
       pg_table_size(relid), pg_indexes_size(relid)
  FROM pg_stat_user_tables WHERE relname = %s
"""

WORN_COLUMNS = ("checks", "dead rows", "table", "indexes", "vacuums")


@dataclass(frozen=True)
class Worn:
    """The table of counters after so many checks."""

    checks: int
    live: int
    dead: int
    updates: int
    hot: int
    vacuums: int
    table: int
    indexes: int

    @property
    def size(self) -> int:
        return self.table + self.indexes

    @property
    def is_due(self) -> bool:
        """Whether autovacuum has reason to come, by its usual settings."""
        return self.dead > 50 + self.live / 5

    @property
    def cells(self) -> tuple[str, ...]:
        return (
            f"{self.checks:,}",
            f"{self.dead:,}",
            f"{self.table / MEGABYTE:.1f} MB",
            f"{self.indexes / MEGABYTE:.1f} MB",
            str(self.vacuums),
        )

    def __str__(self) -> str:
        share = self.hot / self.updates if self.updates else 0
        return (
            f"{self.checks:,} checks: {self.dead:,} dead rows, "
            f"table {self.table / MEGABYTE:.1f} MB, indexes {self.indexes / MEGABYTE:.1f} MB, "
            f"vacuumed {self.vacuums} times, {share:.0%} of updates HOT"
        )


@dataclass(frozen=True)
class Load:
    """So many checks, or as many as go into so many seconds, by so many processes."""

    customers: int
    checks: int
    bulk: int
    """So many in one call."""
    seconds: float
    processes: int
    looks: int
    server: tuple[str, ...] = ()
    """What of the server's settings is not as it comes."""


def worn(load: Load) -> Iterator[Worn]:
    """The table before, after each of so many equal parts of the checks, and once vacuumed."""
    with private_postgresql(*load.server) as server, connection_elsewhere(**server.settings):
        call_command("migrate", verbosity=0)
        fill(customers=load.customers, old=0)
        environment = {**os.environ, "DATABASE_URL": URL.format_map(server.settings)}
        done = 0
        yield _looked(done)
        with workers("tests.proof.scale.hand", [environment] * load.processes) as busy:
            deadline = time.monotonic() + load.seconds
            for look in range(load.looks):
                share = ceil((load.checks - done) / (load.looks - look) / load.processes)
                left = (deadline - time.monotonic()) / (load.looks - look)
                asked = {"customers": load.customers, "bulk": load.bulk, "seconds": left}
                for number, worker in enumerate(busy, start=look * load.processes):
                    worker.order(["wear", {**asked, "checks": share, "seed": number}])
                done += sum(worker.answer() for worker in busy)
                yield _looked(done)
        yield _once_vacuumed(done)


def _once_vacuumed(checks: int) -> Worn:
    """When autovacuum, which comes by every minute, has nothing more to do, or should have."""
    deadline = time.monotonic() + PATIENCE
    last = _looked(checks)
    while last.is_due and time.monotonic() < deadline:
        Event().wait(0.2)
        last = _looked(checks)
    return last


def _looked(checks: int) -> Worn:
    with connection.cursor() as cursor:
        cursor.execute(LOOK, [Counter._meta.db_table])
        return Worn(checks, *cursor.fetchone())
