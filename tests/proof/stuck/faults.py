"""What can be wrong with a database as a whole, on each of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from django.db import connection

from tests.proof.stuck.bearing import Fault
from tests.proof.stuck.database_user import database_user
from tests.proof.stuck.settings_of_sessions import options, sessions_with

POOL_SECONDS = 0.2
"""How long the portal's pool lets anybody wait for a session."""


@contextmanager
def _pool_exhausted() -> Iterator[None]:
    """Of the portal's own; its only session is taken."""
    pool = {"min_size": 1, "max_size": 1, "timeout": POOL_SECONDS}
    with sessions_with(CONN_MAX_AGE=0, OPTIONS=options(pool=pool)):
        taken = connection.copy()
        try:
            taken.ensure_connection()
            yield
        finally:
            taken.close()
            taken.close_pool()


@contextmanager
def _sessions_exhausted() -> Iterator[None]:
    """The server lets the portal have one, and it is taken."""
    with database_user(sessions=1) as user, sessions_with(**user):
        taken = connection.copy()
        try:
            taken.ensure_connection()
            yield
        finally:
            taken.close()


@contextmanager
def _beginning_with(statement: str) -> Iterator[None]:
    begin = f"{options()['init_command']}; {statement}"
    with sessions_with(OPTIONS=options(init_command=begin)):
        yield


@contextmanager
def _without_rights() -> Iterator[None]:
    with database_user(rights="SELECT") as user, sessions_with(**user):
        yield


@contextmanager
def _file_only_read() -> Iterator[None]:
    with sessions_with(NAME=f"{Path(connection.settings_dict['NAME']).as_uri()}?mode=ro"):
        yield


def _only_read() -> AbstractContextManager[None]:
    return sessions_with(OPTIONS=options(options="-c default_transaction_read_only=on"))


FAULTS: Mapping[str, Sequence[Fault]] = {
    "postgresql": (
        Fault(
            "The portal's pool is exhausted",
            "OperationalError PoolTimeout",
            _pool_exhausted,
            waits=POOL_SECONDS,
        ),
        Fault("The server's sessions are exhausted", "OperationalError", _sessions_exhausted),
        Fault("The database may only be read", "InternalError 25006", _only_read),
    ),
    "mariadb": (
        Fault("The server's sessions are exhausted", "OperationalError 1226", _sessions_exhausted),
        Fault(
            "The database may only be read",
            "OperationalError 1792",
            partial(_beginning_with, "SET SESSION TRANSACTION READ ONLY"),
        ),
        Fault("The user may only read", "OperationalError 1142", _without_rights),
    ),
    "sqlite": (
        Fault(
            "The database may only be read",
            "OperationalError SQLITE_READONLY",
            partial(_beginning_with, "PRAGMA query_only = ON"),
        ),
        Fault("The file may only be read", "OperationalError SQLITE_READONLY", _file_only_read),
    ),
}
