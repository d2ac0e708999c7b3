"""Which slices a run takes, what is compared with what, and what is aimed at."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.measures import ALL_LOADS, WITHOUT_CONTENTION, Load, Measure

CHECK = "check"
DRIVER = "driver alone"
USUAL = "select_for_update + save, with policy"
LEANEST = "select_for_update + save, counter only"
IN_THE_DATABASE = (
    "django-ratelimit, database cache",
    "DRF throttle, database cache",
    "django-axes, database handler",
)
ON_REDIS = (
    "django-ratelimit, Redis",
    "DRF throttle, Redis",
    "limits, Redis",
    "limits, Redis appendfsync always",
)
PEERS = (*IN_THE_DATABASE, *ON_REDIS)
MANY_CUSTOMERS = "check_many, 10,000 customers"
ONE_AFTER_ANOTHER = "check, one customer after another"
MANY_DOCUMENTS = "check_many, 10,000 documents of one"
THE_LIST = "the list of 10,000 decisions"
NEW_DOCUMENTS = "check, new documents"
REPEATED_DOCUMENT = "check, a repeated document"

DATABASES = ("postgresql", "postgresql-prepared", "mariadb", "sqlite")
POSTGRESQL, PREPARED, MARIADB, SQLITE = DATABASES
TITLES = {
    POSTGRESQL: "PostgreSQL, as Django comes",
    PREPARED: "PostgreSQL, prepared statements",
    MARIADB: "MariaDB",
    SQLITE: "SQLite",
}
BULK = 10_000

Rates = Mapping[Any, float]
"""By what was measured."""


class Comparison(NamedTuple):
    """A ratio of one round's rates, under the name of its row and column."""

    database: str
    row: str
    column: str
    needs: tuple[Any, ...]
    ratio: Callable[[Rates], float]


class Target(NamedTuple):
    database: str
    row: str
    column: str
    at_least: float | None = None
    at_most: float | None = None

    def is_met(self, ratio: float) -> bool:
        if self.at_most is not None:
            return ratio <= self.at_most
        return self.at_least is not None and ratio >= self.at_least

    def __str__(self) -> str:
        return f"≥ {self.at_least:g}" if self.at_least is not None else f"≤ {self.at_most:g}"


def comparisons(databases: Sequence[str], *, redis: bool) -> list[Comparison]:
    """Everything the tables show for these databases."""
    return [
        comparison
        for database in databases
        for comparison in (*_against_others(database, redis=redis), *_with_itself(database))
    ]


def _against_others(database: str, *, redis: bool) -> Iterator[Comparison]:
    # One SQLite file has one writer at a time: eight clients measure how it waits.
    loads = (Load.ONE,) if database == SQLITE else ALL_LOADS
    for contender in (DRIVER, USUAL, LEANEST):
        for load in loads:
            yield _times_as_fast(database, contender, load)
    for contender in PEERS if redis else IN_THE_DATABASE:
        for load in loads:
            if load in WITHOUT_CONTENTION:
                yield _times_as_fast(database, contender, load)


def _times_as_fast(database: str, contender: str, load: Load) -> Comparison:
    ours, theirs = Measure(database, CHECK, load), Measure(database, contender, load)
    return Comparison(
        database, contender, load, (ours, theirs), lambda rates: rates[ours] / rates[theirs]
    )


def _with_itself(database: str) -> Iterator[Comparison]:
    one, new, repeated, loop, customers, documents, decisions = (
        Measure(database, contender)
        for contender in (
            CHECK,
            NEW_DOCUMENTS,
            REPEATED_DOCUMENT,
            ONE_AFTER_ANOTHER,
            MANY_CUSTOMERS,
            MANY_DOCUMENTS,
            THE_LIST,
        )
    )

    def row(name: str, needs: tuple[Measure, ...], ratio: Callable[[Rates], float]) -> Comparison:
        return Comparison(database, name, Load.ONE, needs, ratio)

    yield row("new documents", (one, new), lambda rates: rates[one] / rates[new])
    yield row("a repeated document", (one, repeated), lambda rates: rates[one] / rates[repeated])
    yield row(
        "10,000 customers, per item",
        (loop, customers),
        lambda rates: rates[customers] * BULK / rates[loop],
    )
    yield row(
        "10,000 documents, whole call",
        (one, documents),
        lambda rates: rates[one] / rates[documents],
    )
    yield row(
        "10,000 documents, list apart",
        (one, documents, decisions),
        lambda rates: rates[one] * (1 / rates[documents] - 1 / rates[decisions]),
    )


def measures(compared: Sequence[Comparison]) -> list[Measure]:
    """Each slice once, those of one load and database after another."""
    needed = dict.fromkeys(measure for comparison in compared for measure in comparison.needs)
    return sorted(needed, key=lambda measure: (measure.load, measure.database))


def _locking_targets() -> Iterator[Target]:
    for database, ratios in {
        POSTGRESQL: (3.3, 4.0, 3.5),
        MARIADB: (3.7, 4.5, 6.5),
        SQLITE: (9.0,),
    }.items():
        for load, ratio in zip(ALL_LOADS, ratios, strict=False):
            yield Target(database, USUAL, load, at_least=ratio)


def _driver_targets() -> Iterator[Target]:
    for database, ratio in {POSTGRESQL: 0.70, PREPARED: 0.82, MARIADB: 0.78, SQLITE: 0.50}.items():
        yield Target(database, DRIVER, Load.ONE, at_least=ratio)


def _peer_targets() -> Iterator[Target]:
    for contender, ratio in {
        "django-ratelimit, Redis": 1.1,
        "DRF throttle, Redis": 1.1,
        "django-ratelimit, database cache": 4.0,
        "DRF throttle, database cache": 4.0,
        "django-axes, database handler": 9.0,
        "limits, Redis appendfsync always": 0.85,
    }.items():
        yield Target(POSTGRESQL, contender, Load.ONE, at_least=ratio)


def _bulk_targets() -> Iterator[Target]:
    for database in DATABASES:
        yield Target(database, "new documents", Load.ONE, at_most=2.5)
    # In SQLite a check is a function call: there is no round trip that many could share.
    for database in (POSTGRESQL, PREPARED, MARIADB):
        yield Target(database, "10,000 documents, list apart", Load.ONE, at_most=4)
        yield Target(database, "10,000 customers, per item", Load.ONE, at_least=35)


TARGETS = (
    *_locking_targets(),
    *_driver_targets(),
    *_peer_targets(),
    *_bulk_targets(),
)
