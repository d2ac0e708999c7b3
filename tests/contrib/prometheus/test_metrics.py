"""The metrics page, the dashboard, and who may read the page."""

import json
import re
from datetime import timedelta
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.core.handlers.base import BaseHandler
from django.db import connections
from django.test import Client, RequestFactory
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from doc_priority import services
from doc_priority.contrib import waiting
from doc_priority.contrib.prometheus.checks import check_token
from doc_priority.contrib.prometheus.live import KEPT_SECONDS, live
from doc_priority.contrib.prometheus.metrics import OUR_SOURCES, Recorder
from doc_priority.contrib.prometheus.views import metrics
from doc_priority.exceptions import CustomerNotFound
from doc_priority.models import Event
from doc_priority.services.transactions import in_one_transaction
from doc_priority.testing import set_priority
from tests.contrib.prometheus.conftest import (
    SIGNED,
    TOKEN,
    metrics_by_name,
    scrape,
    values_of,
)
from tests.contrib.tasks import portal
from tests.contrib.workers import run
from tests.databases import conflict
from tests.factories import now

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]


def test_checks_calls_corrections_waits_retries_and_errors() -> None:
    before = values_of(scrape())

    def grown(name: str, **labels: str) -> float:
        """By how much a sample has grown meanwhile; Prometheus never forgets."""
        return values_of(scrape())(name, **labels) - before(name, **labels)

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
    services.reset("acme")
    services.check_many(["other"])
    services.reset_many(["acme", "other"], source="admin")
    obstacles = [conflict]
    in_one_transaction(lambda: obstacles.pop()() if obstacles else None)
    with pytest.raises(CustomerNotFound):
        services.reset("nobody")
    assert grown("service_seconds_count", service="check") == 2
    assert grown("service_seconds_count", service="reset") == 3
    assert grown("service_seconds_sum", service="reset") > 0
    assert grown("errors_total", service="reset", code="customer_not_found") == 1
    assert grown("corrections_total", kind="reset", source="admin") == 2
    assert grown("corrections_total", kind="reset", source="none") == 1
    assert grown("lock_wait_seconds_count") >= 3
    assert grown("retries_total") == 1
    # Sources are bounded.
    recorder = Recorder()
    for number in [*range(30), 0]:
        recorder.corrected("unpin", f"ticket {number}", 1)
    recorder.corrected("unpin", "admin", 1)
    by_source = {"ticket 0": 2, "ticket 15": 1, "ticket 16": 0, "other": 14, "admin": 1}
    for source, number in by_source.items():
        assert grown("corrections_total", kind="unpin", source=source) == number


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_customers_per_live_priority(django_assert_max_num_queries: Any) -> None:
    set_priority("flooding", 9)
    set_priority("busy", 4)
    set_priority("pinned", 1)
    services.pin("pinned", priority=4, until=now() + timedelta(hours=1))
    services.create_customer("at-rest")
    # On PostgreSQL each engine has a transaction of its own, whose end and bound count too.
    with django_assert_max_num_queries(16):
        list(live.collect())
    set_priority("later", 4)
    with django_assert_max_num_queries(0):
        value = values_of(scrape())
    assert KEPT_SECONDS < 15, "Prometheus asks no less often than gauges are read"
    by_priority = [value("live_customers", priority=str(one)) for one in range(1, 10)]
    assert by_priority == [1, 0, 0, 2, 0, 0, 0, 0, 1]
    assert value("counting_customers") == 2
    assert value("pinned_customers") == 1
    assert value("live_up") == 1


def test_since_when_the_oldest_task_waits() -> None:
    def oldest() -> float:
        live.expire()
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
    metrics_there = metrics_by_name()
    for name, (kind, _, documentation) in metrics_there.items():
        suffix = "_count" if kind == "histogram" else ""
        assert re.search(rf"^{name}{suffix}[ {{]", text, re.MULTILINE), name
        assert documentation.endswith(".")
    # The dashboard shows every metric and no other.
    text = resources.files("doc_priority.contrib.prometheus").joinpath("dashboard.json").read_text()
    dashboard = json.loads(text)
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    expressions = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    named = set(re.findall(r"doc_priority_\w+", " ".join(expressions)))
    assert {re.sub(r"_(bucket|sum|count)$", "", name) for name in named} == metrics_there.keys()
    labels = {label for _, labels, _ in metrics_there.values() for label in labels} | {"le"}
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
    for kind, source in product(Event.Kind.values, OUR_SOURCES):
        sample = f'doc_priority_corrections_total{{kind="{kind}",source="{source}"}} 0.0'
        assert sample in nothing_yet
    for service, code in product(["check", "check_many"], codes):
        sample = f'doc_priority_errors_total{{code="{code}",service="{service}"}} 0.0'
        assert sample in nothing_yet
        assert f'doc_priority_service_seconds_count{{service="{service}"}} 0.0' in nothing_yet


def test_a_scraper_shows_its_token(settings: Any, client: Client) -> None:
    answer = client.get("/metrics/", headers=SIGNED)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    assert "no-store" in answer["Cache-Control"]
    assert b"# TYPE doc_priority_checks_total counter" in answer.content
    lower = {"Authorization": f"bearer {TOKEN}"}
    assert client.get("/metrics/", headers=lower).status_code == 200
    accept = "application/openmetrics-text; version=1.0.0"
    answer = client.get("/metrics/", headers={**SIGNED, "Accept": accept})
    assert answer["Content-Type"].startswith("application/openmetrics-text")
    assert answer.content.endswith(b"# EOF\n")
    assert client.post("/metrics/", headers=SIGNED).status_code == 405
    # Without its token nobody reads.
    for shown in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, "Bearer tökén"):
        answer = client.get("/metrics/", headers={"Authorization": shown})
        assert (answer.status_code, answer.content) == (401, b"")
        assert answer["WWW-Authenticate"] == "Bearer"
    assert client.head("/metrics/").status_code == 401
    for given in (None, "", b"bytes", 5):
        settings.DOC_PRIORITY_METRICS_TOKEN = given
        for shown in ("Bearer", "Bearer ", "Bearer None", "Bearer 5"):
            answer = client.get("/metrics/", headers={"Authorization": shown})
            assert answer.status_code == 401, (given, shown)


def test_members_of_staff_who_may_see_customers(client: Client, rf: RequestFactory) -> None:
    for name, is_permitted, is_staff, expected in [
        ("support", True, True, 200),
        ("editor", False, True, 401),
        ("client", True, False, 401),
    ]:
        user = User.objects.create(username=name, is_staff=is_staff)
        if is_permitted:
            user.user_permissions.add(Permission.objects.get(codename="view_customer"))
        client.force_login(user)
        assert client.get("/metrics/").status_code == expected
    request = rf.get("/metrics/")
    assert metrics(request).status_code == 401
    gone = User(username="gone", is_active=False, is_staff=True, is_superuser=True)
    for nobody in (AnonymousUser(), gone):
        request.user = nobody
        assert metrics(request).status_code == 401


def test_where_all_pages_ask_for_a_login(settings: Any, client: Client, monkeypatch: Any) -> None:
    """And no transaction is begun, because the database may be away."""
    asks = "django.contrib.auth.middleware.LoginRequiredMiddleware"
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, asks]
    assert client.get("/metrics/", headers=SIGNED).status_code == 200
    assert client.get("/metrics/").status_code == 401
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    assert BaseHandler().make_view_atomic(metrics) is metrics


def test_e051_a_token_that_cannot_be_used(settings: Any) -> None:
    for given, said in [
        (b"0123456789" * 3, "is of type bytes"),
        ("short", "has 5 characters and could be guessed"),
        ("", "has 0 characters"),
        ("schlüssel" * 3, "a header cannot carry"),
        ("two words and some more", "a header cannot carry"),
        ("line\nbreak" * 3, "a header cannot carry"),
    ]:
        settings.DOC_PRIORITY_METRICS_TOKEN = given
        (message,) = check_token()
        assert message.id == "doc_priority.E051"
        assert message.is_serious()
        assert said in message.msg
        assert "token_urlsafe" in message.hint
        assert "schl" not in message.msg
    for given in (None, TOKEN):
        settings.DOC_PRIORITY_METRICS_TOKEN = given
        assert check_token() == []
