"""Which errors of the drivers say that a row is kept, and which that a check may begin again."""

import pytest
from django.db import OperationalError, connection

from doc_priority.counters import counters_of


@pytest.mark.postgresql
@pytest.mark.parametrize("name", ["sqlstate", "pgcode"])
def test_psycopg_tells_the_state_and_its_forerunner_did_by_another_name(name: str) -> None:
    error = OperationalError("canceling statement due to lock timeout")
    error.__cause__ = type("DriversError", (Exception,), {name: "55P03"})()
    assert counters_of(connection).is_busy(error)
    assert not counters_of(connection).is_conflict(error)


@pytest.mark.postgresql
@pytest.mark.parametrize("state", ["40001", "40P01", "23503"])
def test_what_may_pass_is_a_conflict(state: str) -> None:
    """Of two that serialise, of a deadlock, and of a customer deleted while it was counted."""
    error = OperationalError("could not serialize access")
    error.__cause__ = type("DriversError", (Exception,), {"sqlstate": state})()
    assert counters_of(connection).is_conflict(error)
    assert not counters_of(connection).is_busy(error)


@pytest.mark.mariadb
@pytest.mark.parametrize("code", [1213, 1020, 1467, 1452])
def test_what_may_pass_is_a_conflict_on_mariadb(code: int) -> None:
    """Also a snapshot that is outdated, and an id that a deadlock kept from being given."""
    error = OperationalError(code, "Deadlock found when trying to get lock")
    assert counters_of(connection).is_conflict(error)
    assert not counters_of(connection).is_busy(error)
