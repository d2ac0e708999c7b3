"""Rows that somebody keeps, and databases that will not."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.test import override_settings

from tests.proof.stuck.bearing import bear, make_acme
from tests.proof.stuck.edges import go_to_the_floor
from tests.proof.stuck.faults import FAULTS
from tests.proof.stuck.filling import fill
from tests.proof.stuck.full_disk import FULL_FILES
from tests.proof.stuck.holding import Holding, hold
from tests.proof.stuck.idling import idle
from tests.proof.stuck.private_portal import bear_on_a_private_server
from tests.proof.stuck.site import Site, site
from tests.proof.stuck.twins import count_one_by_one, wait_without_a_timeout
from tests.proof.suite import Suite, Trial


@dataclass(frozen=True)
class Bounds:
    lock_timeout_ms: int
    holding: Holding


def run(trial: Trial, bounds: Bounds) -> None:
    counting = {"LOCK_TIMEOUT_MS": bounds.lock_timeout_ms}
    with override_settings(DOC_PRIORITY=counting), _log_unread(), site() as asked:
        hold(trial, asked, bounds.holding)
        wait_without_a_timeout(trial)
        make_acme()
        for fault in FAULTS[trial.place.name]:
            bear(trial, asked, fault)
        go_to_the_floor(trial, asked)
        ONLY[trial.place.name](trial, asked)


def _only_on_postgresql(trial: Trial, asked: Site) -> None:
    count_one_by_one(trial)
    idle(trial, asked)
    bear_on_a_private_server(trial, asked)


def _only_on_mariadb(trial: Trial, asked: Site) -> None:
    count_one_by_one(trial)
    idle(trial, asked)
    # InnoDB that finds no room in a rollback ends the whole server, and this one is not ours.
    trial.say("not run, a full disk: the server itself may end there, and others use it")


def _only_on_sqlite(trial: Trial, asked: Site) -> None:
    for disk in FULL_FILES:
        fill(trial, asked, disk)


ONLY = {
    "postgresql": _only_on_postgresql,
    "mariadb": _only_on_mariadb,
    "sqlite": _only_on_sqlite,
}


@contextmanager
def _log_unread() -> Iterator[None]:
    """The app writes down every call that was refused, and here that is nearly all of them."""
    nobody = logging.NullHandler()
    logger = logging.getLogger("doc_priority")
    logger.addHandler(nobody)
    try:
        yield
    finally:
        logger.removeHandler(nobody)


STUCK = Suite(
    name="stuck",
    title="rows that somebody keeps, and databases that will not",
    places=("postgresql", "mariadb", "sqlite"),
    run=run,
    # Of so few calls the slowest hundredth is a handful, so it may be much slower.
    short=Bounds(1_000, Holding(20, waiters_within=4, seconds=1.5, rounds=2, slowing=20)),
    full=Bounds(2_000, Holding(20, waiters_within=4, seconds=30, rounds=3, slowing=2)),
    short_limit=300,
    full_limit=1_800,
)
