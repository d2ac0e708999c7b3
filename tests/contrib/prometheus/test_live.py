"""The gauges that are read, and what keeps a scrape from waiting for the database."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import OperationalError
from prometheus_client.core import Metric

from doc_priority.contrib import waiting
from doc_priority.contrib.prometheus.live import KEPT_SECONDS, LiveCollector, live
from tests.held import held_table
from tests.logged import records
from tests.sessions import another_session

pytestmark = pytest.mark.django_db(transaction=True)

UP = "doc_priority_live_up"
OLDEST = "doc_priority_oldest_waiting_seconds"
NUMBER = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT connection_id()"}
END = {"postgresql": "SELECT pg_terminate_backend({})", "mysql": "KILL {}"}


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], datetime | None]]:
    """None, until a test adds its own."""
    monkeypatch.setattr(waiting, "engines", {})
    return waiting.engines


def values(collector: LiveCollector = live) -> dict[str, list[float]]:
    """Of each metric that is there, by its name."""
    return {family.name: _values_of(family) for family in collector.collect()}


def _values_of(family: Metric) -> list[float]:
    return [sample.value for sample in family.samples]


@pytest.mark.parametrize("table", ["doc_priority_counter", "doc_priority_customer"])
def test_a_scrape_gives_up_what_others_keep_locked(settings: Any, table: str) -> None:
    """SQLite's readers wait for nobody who writes."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 200}
    with held_table(table):
        started = time.monotonic()
        found = values()
        assert time.monotonic() - started < 2
    assert found[UP] == [1 if connection.vendor == "sqlite" else 0]


@pytest.mark.sqlite
@pytest.mark.usefixtures("engines")
def test_a_scrape_keeps_no_writer_from_writing() -> None:
    with connection.execute_wrapper(_only_reading):
        assert values()[UP] == [1]


def _only_reading(run: Callable[..., Any], sql: str, *rest: Any) -> Any:
    assert sql.startswith("SELECT")
    assert not connection.in_atomic_block
    return run(sql, *rest)


def test_who_comes_while_another_one_reads_waits_no_longer(
    settings: Any, engines: dict[str, Callable[[], datetime | None]]
) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 500}
    collector = LiveCollector()
    others: list[dict[str, list[float]]] = []
    engines["slow"] = lambda: others.append(values(collector))
    assert values(collector)[UP] == [1]
    assert others == [{UP: [0]}]


def test_who_comes_meanwhile_is_told_what_was_read_before(
    settings: Any, engines: dict[str, Callable[[], datetime | None]]
) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 500}
    collector = LiveCollector()
    before = values(collector)
    others: list[dict[str, list[float]]] = []
    engines["slow"] = lambda: others.append(values(collector))
    collector.forget()
    values(collector)
    assert others == [before]


def test_prometheus_asks_less_often_than_gauges_are_read() -> None:
    assert KEPT_SECONDS < 15


def test_an_engine_that_cannot_be_asked_leaves_its_sample_out(
    engines: dict[str, Callable[[], datetime | None]], caplog: pytest.LogCaptureFixture
) -> None:
    engines["broken"] = _ask_what_is_not_there
    engines["empty"] = lambda: None
    found = {family.name: family for family in live.collect()}
    assert [sample.labels for sample in found[OLDEST].samples] == [{"engine": "empty"}]
    assert _values_of(found[UP]) == [1]
    (record,) = records(caplog)
    said: Any = record
    assert (said.action, said.engine) == ("engine_unreadable", "broken")


def _ask_what_is_not_there() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM no_such_table")


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_a_connection_that_was_lost_is_made_anew() -> None:
    """Also where no request of Django's begins or ends."""
    with connection.cursor() as cursor:
        cursor.execute(NUMBER[connection.vendor])
        (number,) = cursor.fetchone()
    with another_session() as other, other.cursor() as cursor:
        cursor.execute(END[connection.vendor].format(number))
    assert values()[UP] == [0]
    live.forget()
    assert values()[UP] == [1]


@pytest.mark.usefixtures("engines")
def test_the_hosts_transaction_keeps_its_connection() -> None:
    def refuse(*_: Any) -> Any:
        raise OperationalError("gone")

    with transaction.atomic():
        with connection.execute_wrapper(refuse):
            assert values()[UP] == [0]
        live.forget()
        assert values()[UP] == [1]
