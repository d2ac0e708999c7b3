"""What is scraped after something has happened, and what the dashboard makes of it."""

import json
import re
from datetime import timedelta
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from doc_priority import services
from doc_priority.contrib import waiting
from doc_priority.contrib.prometheus.live import live
from doc_priority.contrib.prometheus.metrics import METRICS, Kind
from doc_priority.contrib.prometheus.recording import OURS, Bounded, Recorder
from doc_priority.exceptions import CustomerNotFound
from doc_priority.models import Event
from doc_priority.services.transactions import together
from doc_priority.testing import set_priority
from tests.contrib.prometheus.conftest import TOKEN, Value, scrape, values_of
from tests.contrib.tasks import portal
from tests.contrib.workers import run
from tests.databases import conflict
from tests.factories import now

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def grown() -> Value:
    """By how much a sample has grown since the test began; Prometheus never forgets."""
    before = values_of(scrape())
    return lambda name, **labels: values_of(scrape())(name, **labels) - before(name, **labels)


def test_checks_by_result_priority_and_pin(grown: Value) -> None:
    services.check_many(["acme"] * 4)
    services.pin("acme", priority=5, until=now() + timedelta(hours=1))
    services.check("acme", document="INV-1")
    services.check("acme", document="INV-1")
    for result, priority, pinned, number in [
        ("first", "1", "no", 1),
        ("counted", "1", "no", 2),
        ("counted", "2", "no", 1),
        ("counted", "5", "yes", 1),
        ("repeated", "5", "yes", 1),
    ]:
        found = grown("checks_total", result=result, priority=priority, pinned=pinned)
        assert found == number, (result, priority, pinned)


def test_sources_are_bounded() -> None:
    label = Bounded("admin", most=3)
    first, second = "ticket 0", "ticket 1"
    labels = [label(f"ticket {number % 4}") for number in range(6)]
    assert labels == [first, second, "other", "other", first, second]
    assert label("admin") == "admin"


def test_calls_corrections_waits_retries_and_errors(grown: Value) -> None:
    services.check("acme")
    services.reset("acme")
    services.check_many(["other"])
    services.reset_many(["acme", "other"], source="admin")
    obstacles = [conflict]
    together(lambda: obstacles.pop()() if obstacles else None)
    with pytest.raises(CustomerNotFound):
        services.reset("nobody")
    assert grown("service_seconds_count", service="check") == 1
    assert grown("service_seconds_count", service="reset") == 3
    assert grown("service_seconds_sum", service="reset") > 0
    assert grown("errors_total", service="reset", code="customer_not_found") == 1
    assert grown("corrections_total", kind="reset", source="admin") == 2
    assert grown("corrections_total", kind="reset", source="none") == 1
    assert grown("lock_wait_seconds_count") >= 3
    assert grown("retries_total") == 1


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_customers_per_live_priority() -> None:
    set_priority("flooding", 9)
    set_priority("busy", 4)
    set_priority("pinned", 1)
    services.pin("pinned", priority=4, until=now() + timedelta(hours=1))
    services.create_customer("at-rest")
    value = values_of(scrape())
    by_priority = [value("live_customers", priority=str(one)) for one in range(1, 10)]
    assert by_priority == [1, 0, 0, 2, 0, 0, 0, 0, 1]
    assert value("counting_customers") == 2
    assert value("pinned_customers") == 1
    assert value("live_up") == 1


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_a_scrape_takes_few_queries_and_the_next_ones_none(
    django_assert_max_num_queries: Any,
) -> None:
    """On PostgreSQL each engine has a transaction of its own, whose end and bound count too."""
    set_priority("acme", 4)
    with django_assert_max_num_queries(16):
        list(live.collect())
    set_priority("other", 4)
    with django_assert_max_num_queries(0):
        assert values_of(scrape())("live_customers", priority="4") == 1


def test_since_when_the_oldest_task_waits() -> None:
    def oldest() -> float:
        live.forget()
        return values_of(scrape())("oldest_waiting_seconds", engine="django-tasks")

    def change(task: Any, **values: Any) -> None:
        DBTaskResult.objects.filter(pk=task.id).update(**values)

    assert oldest() == 0
    old, new, later, due = (portal.process.enqueue("acme", f"INV-{one}") for one in range(4))
    other = portal.tidy_up.enqueue("acme", "INV-1")
    moment, hour = timezone.now(), timedelta(hours=1)
    change(old, enqueued_at=moment - 2 * hour)
    change(other, enqueued_at=moment - 48 * hour)
    change(later, enqueued_at=moment - 72 * hour, run_after=moment + 24 * hour)
    change(due, enqueued_at=moment - 96 * hour, run_after=moment - 3 * hour)
    assert oldest() == pytest.approx(3 * 3600, abs=60)
    change(due, status="RUNNING")
    assert oldest() == pytest.approx(2 * 3600, abs=60)
    change(old, status="SUCCESSFUL")
    assert oldest() < 60
    change(new, status="FAILED")
    assert oldest() == 0
    engines = set(re.findall(r'oldest_waiting_seconds{engine="([^"]+)"', scrape()))
    assert engines == set(waiting.engines)
    assert "celery" not in engines  # which does not tell


def test_every_metric_is_scraped_and_names_nobody() -> None:
    services.check("very-special-customer", document="very-special-document")
    services.reset("very-special-customer", actor="very-special-actor", reason="very-special")
    with pytest.raises(CustomerNotFound):
        services.reset("very-special-stranger")
    text = scrape()
    assert "very-special" not in text
    for metric in METRICS:
        suffix = "_count" if metric.kind == Kind.HISTOGRAM else ""
        assert re.search(rf"^{metric.name}{suffix}[ {{]", text, re.MULTILINE), metric.name
        assert metric.documentation.endswith(".")
    with pytest.raises(ValueError, match="Duplicated"):
        Recorder()  # Prometheus keeps each metric once


def test_the_dashboard_shows_every_metric_and_no_other() -> None:
    text = resources.files("doc_priority.contrib.prometheus").joinpath("dashboard.json").read_text()
    dashboard = json.loads(text)
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    expressions = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    named = set(re.findall(r"doc_priority_\w+", " ".join(expressions)))
    assert {re.sub(r"_(bucket|sum|count)$", "", name) for name in named} == {
        metric.name for metric in METRICS
    }
    labels = {label for metric in METRICS for label in metric.labels} | {"le"}
    for grouping in re.findall(r"by \(([^)]*)\)", " ".join(expressions)):
        assert set(grouping.split(", ")) <= labels
    assert all(panel["title"] and panel["description"] for panel in panels)


def test_any_process_of_a_portal_tells_what_all_of_them_did(tmp_path: Path) -> None:
    shared = tmp_path / "metrics"
    shared.mkdir()
    portal = (
        "from tests import settings\n"
        "settings.INSTALLED_APPS.append('doc_priority.contrib.prometheus')\n"
        f"settings.DOC_PRIORITY_METRICS_TOKEN = {TOKEN!r}\n"
        "import django; django.setup()\n"
        "from django.core.management import call_command\n"
        "from doc_priority import services\n"
        "from tests.contrib.prometheus.conftest import scrape\n"
    )
    place = {
        "DATABASE_URL": f"sqlite:///{tmp_path / 'portal.sqlite3'}",
        "PROMETHEUS_MULTIPROC_DIR": str(shared),
    }
    nothing_yet = run(
        "-c", f"{portal}call_command('migrate', verbosity=0)\nprint(scrape())", **place
    )
    check = f"{portal}services.check_many(['acme'] * 3)\n"
    run("-c", check, **place)
    value = values_of(run("-c", f"{check}print(scrape())", **place))
    assert value("checks_total", result="first", priority="1", pinned="no") == 1
    assert value("checks_total", result="counted", priority="1", pinned="no") == 2
    assert value("checks_total", result="counted", priority="2", pinned="no") == 2
    assert value("checks_total", result="counted", priority="3", pinned="no") == 1
    assert value("service_seconds_count", service="check_many") == 2
    assert value("lock_wait_seconds_count") == 2
    # Gauges are read from the database, not added up, and have nobody's id on them.
    assert value("live_customers", priority="3") == 1
    assert value("live_up") == 1
    # A rate sees the first event only if there was a sample before it.
    codes = ["counter_busy", "transaction_conflict", "database_error", "unexpected_error"]
    for kind, source in product(Event.Kind.values, OURS):
        sample = f'doc_priority_corrections_total{{kind="{kind}",source="{source}"}} 0.0'
        assert sample in nothing_yet
    for service, code in product(["check", "check_many"], codes):
        sample = f'doc_priority_errors_total{{code="{code}",service="{service}"}} 0.0'
        assert sample in nothing_yet
        assert f'doc_priority_service_seconds_count{{service="{service}"}} 0.0' in nothing_yet
