"""Several processes of one portal: any of them tells what all of them did."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from doc_priority.contrib.prometheus.recording import OURS
from doc_priority.models import Event
from tests.contrib.prometheus.scraped import Samples, read, value

CHECKS = ["check", "check_many"]
CODES = ["counter_busy", "transaction_conflict", "database_error", "unexpected_error"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    shared = tmp_path / "metrics"
    shared.mkdir()
    return {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path / 'portal.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "tests.contrib.prometheus.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(shared),
    }


def run(deed: str, environment: dict[str, str]) -> str:
    """A process that does this and ends."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.contrib.prometheus.process", deed],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout


def test_what_other_processes_counted(environment: dict[str, str]) -> None:
    run("migrate", environment)
    run("check", environment)
    run("check", environment)
    found = scrape(environment)
    name = "doc_priority_checks_total"
    assert value(found, name, result="first", priority="1", pinned="no") == 1
    assert value(found, name, result="counted", priority="1", pinned="no") == 2
    assert value(found, name, result="counted", priority="2", pinned="no") == 2
    assert value(found, name, result="counted", priority="3", pinned="no") == 1
    assert value(found, "doc_priority_service_seconds_count", service="check_many") == 2
    assert value(found, "doc_priority_lock_wait_seconds_count") == 2


def test_gauges_are_read_once(environment: dict[str, str]) -> None:
    """From the database, not added up over processes, and with nobody's id on them."""
    run("migrate", environment)
    run("check", environment)
    found = scrape(environment)
    assert value(found, "doc_priority_live_customers", priority="1") == 1
    assert value(found, "doc_priority_live_up") == 1


def test_what_has_not_happened_is_0(environment: dict[str, str]) -> None:
    """A rate sees the first event only if there was a sample before it."""
    run("migrate", environment)
    found = scrape(environment)
    for kind, source in product(Event.Kind.values, OURS):
        labels = frozenset({"kind": kind, "source": source}.items())
        assert found["doc_priority_corrections_total", labels] == 0
    for service, code in product(CHECKS, CODES):
        labels = frozenset({"service": service, "code": code}.items())
        assert found["doc_priority_errors_total", labels] == 0
        seconds = frozenset({"service": service}.items())
        assert found["doc_priority_service_seconds_count", seconds] == 0


def scrape(environment: dict[str, str]) -> Samples:
    return read(run("scrape", environment))
