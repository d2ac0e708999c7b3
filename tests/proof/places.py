"""Where a suite can run."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.servers import MARIADB, POSTGRESQL


@dataclass(frozen=True)
class Place:
    name: str
    title: str
    url: str
    obstacle: Callable[[], str]
    """Why it cannot be used; empty if it can."""


def _none() -> str:
    return ""


PLACES = {
    place.name: place
    for place in (
        Place("sqlite", "SQLite", "sqlite://", _none),
        Place("postgresql", POSTGRESQL.name, POSTGRESQL.url, POSTGRESQL.obstacle),
        Place("mariadb", MARIADB.name, MARIADB.url, MARIADB.obstacle),
    )
}
