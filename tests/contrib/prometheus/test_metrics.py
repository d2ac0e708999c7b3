"""What is scraped after something has happened, and what the dashboard makes of it."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Any

import pytest
from django.db import connection
from django.db.utils import OperationalError
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from doc_priority import services
from doc_priority.contrib import waiting
from doc_priority.contrib.prometheus.live import live
from doc_priority.contrib.prometheus.metrics import METRICS, Kind
from doc_priority.contrib.prometheus.recording import Bounded, Recorder
from doc_priority.exceptions import CustomerNotFound
from doc_priority.services.transactions import together
from doc_priority.testing import set_priority
from tests.conflicts import conflict
from tests.contrib.prometheus.scraped import TOKEN, samples, value
from tests.contrib.tasks import portal
from tests.logged import records

pytestmark = pytest.mark.django_db(transaction=True)

Grown = Callable[..., float]


@pytest.fixture(autouse=True)
def token(settings: Any) -> None:
    settings.DOC_PRIORITY_METRICS_TOKEN = TOKEN


@pytest.fixture
def grown() -> Grown:
    """By how much a sample has grown since the test began; Prometheus never forgets."""
    before = samples()
    return lambda name, **labels: value(samples(), name, **labels) - value(before, name, **labels)


def test_checks_by_result_priority_and_pin(grown: Grown) -> None:
    services.check_many(["acme"] * 4)
    services.pin("acme", priority=5, until=datetime.now(UTC) + timedelta(hours=1))
    services.check("acme", document="INV-1")
    services.check("acme", document="INV-1")
    name = "doc_priority_checks_total"
    assert grown(name, result="first", priority="1", pinned="no") == 1
    assert grown(name, result="counted", priority="1", pinned="no") == 2
    assert grown(name, result="counted", priority="2", pinned="no") == 1
    assert grown(name, result="counted", priority="5", pinned="yes") == 1
    assert grown(name, result="repeated", priority="5", pinned="yes") == 1


def test_corrections_by_kind_and_source(grown: Grown) -> None:
    services.check_many(["acme", "other"])
    services.reset_many(["acme", "other"], source="admin")
    services.reset("acme")
    name = "doc_priority_corrections_total"
    assert grown(name, kind="reset", source="admin") == 2
    assert grown(name, kind="reset", source="none") == 1


def test_sources_are_bounded() -> None:
    label = Bounded("admin", most=3)
    assert [label(f"ticket {number % 4}") for number in range(6)] == [
        "ticket 0",
        "ticket 1",
        "other",
        "other",
        "ticket 0",
        "ticket 1",
    ]
    assert label("admin") == "admin"


def test_calls_waits_and_errors(grown: Grown) -> None:
    services.check("acme")
    services.reset("acme")
    with pytest.raises(CustomerNotFound):
        services.reset("nobody")
    assert grown("doc_priority_service_seconds_count", service="check") == 1
    assert grown("doc_priority_service_seconds_count", service="reset") == 2
    assert grown("doc_priority_service_seconds_sum", service="reset") > 0
    assert grown("doc_priority_errors_total", service="reset", code="customer_not_found") == 1
    assert grown("doc_priority_lock_wait_seconds_count") >= 3


def test_retries(grown: Grown) -> None:
    services.check("acme")
    obstacles = [conflict]
    together(lambda: obstacles.pop()() if obstacles else None)
    assert grown("doc_priority_retries_total") == 1


def test_customers_per_live_priority() -> None:
    set_priority("flooding", 9)
    set_priority("busy", 4)
    set_priority("pinned", 1)
    services.pin("pinned", priority=4, until=datetime.now(UTC) + timedelta(hours=1))
    services.create_customer("at-rest")
    found = samples()
    by_priority = [
        value(found, "doc_priority_live_customers", priority=str(one)) for one in range(1, 10)
    ]
    assert by_priority == [1, 0, 0, 2, 0, 0, 0, 0, 1]
    assert value(found, "doc_priority_counting_customers") == 2
    assert value(found, "doc_priority_pinned_customers") == 1
    assert value(found, "doc_priority_live_up") == 1


def test_no_label_names_a_customer() -> None:
    services.check("very-special-customer", document="very-special-document")
    services.reset("very-special-customer", actor="very-special-actor", reason="very-special")
    assert "very-special" not in str(samples())


def test_a_scrape_takes_few_queries_and_the_next_ones_none(
    django_assert_max_num_queries: Any,
) -> None:
    """On PostgreSQL each engine has a transaction of its own, whose end and bound count too."""
    set_priority("acme", 4)
    with django_assert_max_num_queries(16):
        list(live.collect())
    set_priority("other", 4)
    with django_assert_max_num_queries(0):
        assert value(samples(), "doc_priority_live_customers", priority="4") == 1


def test_a_database_that_cannot_be_asked(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(*_: Any) -> Any:
        raise OperationalError("server closed the connection")

    with connection.execute_wrapper(refuse):
        found = samples()
    assert value(found, "doc_priority_live_up") == 0
    assert not [name for name, _ in found if name == "doc_priority_live_customers"]
    assert [name for name, _ in found if name == "doc_priority_service_seconds_count"]
    (record,) = records(caplog)
    assert record.action == "gauges_unreadable"  # type: ignore[attr-defined]


def test_since_when_the_oldest_task_waits() -> None:
    assert oldest("django-tasks") == 0
    old, new, other, later, due = (
        task.enqueue("acme", document)
        for task, document in [
            (portal.process, "INV-1"),
            (portal.process, "INV-2"),
            (portal.tidy_up, "INV-1"),
            (portal.process, "INV-3"),
            (portal.process, "INV-4"),
        ]
    )
    now = timezone.now()
    backdate(old, enqueued_at=now - timedelta(hours=2))
    backdate(other, enqueued_at=now - timedelta(days=2))
    backdate(later, enqueued_at=now - timedelta(days=3), run_after=now + timedelta(days=1))
    backdate(due, enqueued_at=now - timedelta(days=4), run_after=now - timedelta(hours=3))
    assert oldest("django-tasks") == pytest.approx(3 * 3600, abs=60)
    backdate(due, status="RUNNING")
    assert oldest("django-tasks") == pytest.approx(2 * 3600, abs=60)
    backdate(old, status="SUCCESSFUL")
    assert oldest("django-tasks") < 60
    backdate(new, status="FAILED")
    assert oldest("django-tasks") == 0


def test_an_engine_that_does_not_tell_has_no_sample() -> None:
    engines = {dict(labels)["engine"] for name, labels in samples() if "oldest" in name}
    assert engines == set(waiting.engines)
    assert "celery" not in str(engines)


def test_every_metric_is_scraped(grown: Grown) -> None:
    services.check("acme")
    services.reset("acme")
    with pytest.raises(CustomerNotFound):
        services.reset("nobody")
    names = {name for name, _ in samples()}
    for metric in METRICS:
        suffix = "_count" if metric.kind == Kind.HISTOGRAM else ""
        assert f"{metric.name}{suffix}" in names
        assert metric.documentation.endswith(".")


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


def test_prometheus_keeps_each_metric_once() -> None:
    with pytest.raises(ValueError, match="Duplicated"):
        Recorder()


def oldest(engine: str) -> float:
    live.forget()
    return value(samples(), "doc_priority_oldest_waiting_seconds", engine=engine)


def backdate(result: Any, **values: Any) -> None:
    DBTaskResult.objects.filter(pk=result.id).update(**values)
