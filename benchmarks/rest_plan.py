"""Which turns the REST benchmark takes, what is compared with what, and what is aimed at."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from benchmarks.plan import Comparison, Rates, Target

DATABASES = ("postgresql", "mariadb", "sqlite")

OURS = "doc_priority.api"
OURS_SUPERUSER = "doc_priority.api, superuser"
OURS_EACH_TIME = "doc_priority.api, a connection per request"
LEANEST = "leanest APIView"
LEANEST_SUPERUSER = "leanest APIView, superuser"
LEANEST_PERMITTED = "leanest APIView with has_perm"
USUAL = "ModelViewSet, select_for_update"
USUAL_PERMITTED = "ModelViewSet with DjangoModelPermissions"


class Person(StrEnum):
    """Who calls: somebody whose group has the permission, or somebody who may do everything."""

    MEMBER = "member"
    SUPERUSER = "superuser"


class Contender(NamedTuple):
    """An address, who calls it, and whether the server keeps its connections to the database."""

    prefix: str
    person: Person = Person.MEMBER
    keeps_connections: bool = True


CONTENDERS = {
    OURS: Contender("api"),
    LEANEST: Contender("leanest"),
    LEANEST_PERMITTED: Contender("leanest-permitted"),
    USUAL: Contender("usual"),
    USUAL_PERMITTED: Contender("usual-permitted"),
    OURS_SUPERUSER: Contender("api", Person.SUPERUSER),
    LEANEST_SUPERUSER: Contender("leanest", Person.SUPERUSER),
    OURS_EACH_TIME: Contender("api", keeps_connections=False),
}

VIEWS = (OURS, OURS_EACH_TIME, LEANEST, LEANEST_PERMITTED, USUAL, USUAL_PERMITTED)
"""Once every view that a worker must have run before it is measured."""


class Load(StrEnum):
    """What is asked for: `{}` or a new document each time, of one customer or of 10,000."""

    ONE = "{} of one customer"
    MANY = "{} of many"
    DOCUMENTS_OF_ONE = "documents of one"
    DOCUMENTS_OF_MANY = "documents of many"

    @property
    def is_of_one(self) -> bool:
        return self in (Load.ONE, Load.DOCUMENTS_OF_ONE)

    @property
    def names_documents(self) -> bool:
        return self in (Load.DOCUMENTS_OF_ONE, Load.DOCUMENTS_OF_MANY)


ALL_LOADS = tuple(Load)
QUICK_LOADS = (Load.MANY, Load.DOCUMENTS_OF_MANY)


class Turn(NamedTuple):
    database: str
    contender: str
    load: Load


def comparisons(database: str, loads: Sequence[Load]) -> list[Comparison]:
    """Everything the database's table shows; what says little under other loads has one only."""
    return [
        *_of_all_loads(database, loads),
        _ratio(database, LEANEST_PERMITTED, Load.MANY, OURS, LEANEST_PERMITTED),
        _ratio(database, USUAL_PERMITTED, Load.MANY, OURS, USUAL_PERMITTED),
        _ratio(database, LEANEST_SUPERUSER, Load.MANY, OURS_SUPERUSER, LEANEST_SUPERUSER),
        _ratio(database, "a connection per request", Load.MANY, OURS, OURS_EACH_TIME),
    ]


def _of_all_loads(database: str, loads: Sequence[Load]) -> Iterator[Comparison]:
    for contender in (LEANEST, USUAL):
        for load in loads:
            yield _ratio(database, contender, load, OURS, contender)


def _ratio(database: str, row: str, load: Load, above: str, below: str) -> Comparison:
    over, under = Turn(database, above, load), Turn(database, below, load)

    def ratio(rates: Rates) -> float:
        return rates[over] / rates[under]

    return Comparison(database, row, load, (over, under), ratio)


def turns(compared: Sequence[Comparison]) -> list[Turn]:
    """Each turn once, those of one load after another."""
    needed = dict.fromkeys(turn for comparison in compared for turn in comparison.needs)
    return sorted(needed, key=lambda turn: ALL_LOADS.index(turn.load))


TARGETS = [
    Target(database, contender, load, at_least=ratio)
    for database in DATABASES
    for contender, ratio in {LEANEST: 0.85, USUAL: 1.5}.items()
    for load in ALL_LOADS
]
