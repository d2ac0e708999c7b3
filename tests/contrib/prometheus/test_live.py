"""The gauges that are read from the database, and how long a scrape waits for it."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import OperationalError

from doc_priority.contrib import waiting
from doc_priority.contrib.prometheus.live import LiveCollector, live
from tests.contrib.prometheus.conftest import scrape
from tests.databases import another_session, held_table
from tests.logged import records

pytestmark = pytest.mark.django_db(transaction=True)

Engines = dict[str, Callable[[], datetime | None]]

UP = "doc_priority_live_up"


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Engines:
    """The engines to ask: none, until a test adds its own."""
    monkeypatch.setattr(waiting, "engines", {})
    return waiting.engines


def values(collector: LiveCollector = live) -> dict[str, list[float]]:
    """The values of each metric by its name."""
    families = collector.collect()
    return {one.name: [sample.value for sample in one.samples] for one in families}


@pytest.mark.parametrize("table", ["doc_priority_counter", "doc_priority_customer"])
def test_a_scrape_gives_up_what_others_keep_locked(settings: Any, table: str) -> None:
    """On SQLite reads wait for no writer."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 200}
    with held_table(table):
        started = time.monotonic()
        found = values()
        assert time.monotonic() - started < 4
    assert found[UP] == [1 if connection.vendor == "sqlite" else 0]


@pytest.mark.sqlite
@pytest.mark.usefixtures("engines")
def test_a_scrape_keeps_no_writer_from_writing() -> None:
    def only_reading(run: Callable[..., Any], sql: str, *rest: Any) -> Any:
        assert sql.startswith("SELECT")
        assert not connection.in_atomic_block
        return run(sql, *rest)

    with connection.execute_wrapper(only_reading):
        assert values()[UP] == [1]


def test_who_comes_while_another_one_reads_waits_no_longer(settings: Any, engines: Engines) -> None:
    """And gets what was read before, if anything was."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 100}
    collector = LiveCollector()
    others: list[dict[str, list[float]]] = []
    engines["slow"] = lambda: others.append(values(collector))
    first = values(collector)
    assert first[UP] == [1]
    assert others == [{UP: [0]}]
    collector.expire()
    values(collector)
    assert others[1] == first


def test_an_engine_that_fails(engines: Engines, caplog: pytest.LogCaptureFixture) -> None:
    """It has no sample then."""

    def ask_what_is_not_there() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM no_such_table")

    engines["broken"] = ask_what_is_not_there
    engines["empty"] = lambda: None
    found = {family.name: family for family in live.collect()}
    oldest = found["doc_priority_oldest_waiting_seconds"].samples
    assert [sample.labels for sample in oldest] == [{"engine": "empty"}]
    assert [sample.value for sample in found[UP].samples] == [1]
    (record,) = records(caplog)
    assert (record.action, record.engine) == ("engine_unreadable", "broken")


def test_a_database_that_fails(engines: Engines, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(*_: Any) -> Any:
        raise OperationalError("server closed the connection")

    with connection.execute_wrapper(refuse):
        text = scrape()
    assert "\ndoc_priority_live_up 0.0\n" in text
    assert "\ndoc_priority_live_customers{" not in text
    assert "\ndoc_priority_service_seconds_count{" in text
    (record,) = records(caplog)
    assert record.action == "gauges_unreadable"
    live.expire()
    with transaction.atomic():  # of the host's, which keeps its connection
        with connection.execute_wrapper(refuse):
            assert values()[UP] == [0]
        live.expire()
        assert values()[UP] == [1]


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_a_connection_that_was_lost_is_made_anew() -> None:
    """Also outside Django's requests."""
    own, end = {
        "postgresql": ("SELECT pg_backend_pid()", "SELECT pg_terminate_backend({})"),
        "mysql": ("SELECT connection_id()", "KILL {}"),
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(own)
        (number,) = cursor.fetchone()
    with another_session() as other, other.cursor() as cursor:
        cursor.execute(end.format(number))
    assert values()[UP] == [0]
    live.expire()
    assert values()[UP] == [1]
