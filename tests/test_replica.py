"""A replica that is behind or away: decisions and current values are read from the primary."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.db import router, transaction
from django.test import Client
from django.urls import reverse
from django_tasks_db.models import DBTaskResult

from doc_priority import services
from doc_priority.contrib import waiting
from doc_priority.contrib.engines import engine_priority
from doc_priority.contrib.prometheus.live import live
from doc_priority.models import Customer, Policy
from doc_priority.readiness import readiness
from doc_priority.testing import set_priority
from tests.admin.confirmations import FORGET, LATER, PIN, RESET, UNPIN, ask, send, tick
from tests.admin.conftest import CUSTOMERS, listed, text_of, told
from tests.api.conftest import CALLS, TERMS, Call, Caller
from tests.contrib.tasks import portal
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db

LATER_ON = datetime.now(UTC) + timedelta(hours=1)


@pytest.fixture(autouse=True)
def acme() -> Customer:
    """At priority 9 under a named policy; under the default one its interval would be over."""
    thresholds = {f"threshold_{number}": -number for number in range(1, 9)}
    slow = PolicyFactory.create(name="slow", reset_interval=24 * 60 * 60, **thresholds)
    PolicyFactory.create(name="gold")
    acme = CustomerFactory.create(key="acme", name="Acme", policy=slow)
    CounterFactory.create(
        customer=acme, pending_documents=-30, updated_at=datetime.now(UTC) - timedelta(hours=2)
    )
    CustomerFactory.create(key="birch")
    return acme


@pytest.fixture
def root(django_user_model: Any) -> Client:
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root"))
    return client


def everybody(user: Any) -> Any:
    return Customer.objects.all()


@pytest.mark.usefixtures("replica_away")
def test_readiness_commands_and_services_also_for_async_code() -> None:
    assert readiness().ready
    calls: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
        "change_customer": (("acme",), {"name": "A", "policy": "gold"}),
        "change_policy": (("slow",), {"reset_interval": 20}),
        "check": (("acme",), {"document": "D-1"}),
        "check_many": ((["acme", ("birch", "D-1")],), {}),
        "create_customer": (("new",), {"policy": "slow"}),
        "create_policy": (("new",), TERMS),
        "delete_policy": (("gold",), {}),
        "forget": (("acme",), {}),
        "forget_many": ((["acme", "birch"],), {}),
        "keep_customer": (("acme",), {"name": "A"}),
        "peek": (("acme",), {}),
        "pin": (("acme",), {"priority": 2, "until": LATER_ON}),
        "pin_many": ((["acme", "birch"],), {"priority": 2, "until": LATER_ON}),
        "rename_customer": (("acme",), {"name": "A"}),
        "reset": (("acme",), {}),
        "reset_many": ((["acme", "birch"],), {}),
        "set_policy": (("acme",), {"policy": "gold"}),
        "unpin": (("acme",), {}),
        "unpin_many": ((["acme", "birch"],), {}),
    }
    assert set(services.__all__) == set(calls) | {f"a{name}" for name in calls}
    for name, (args, kwargs) in calls.items():
        for call in (getattr(services, name), async_to_sync(getattr(services, f"a{name}"))):
            with transaction.atomic():
                call(*args, **kwargs)
                transaction.set_rollback(True)

    for command in (
        "check acme",
        "peek acme --why",
        "list",
        "list --priority-min 7 --state counting --policy slow --search ac",
        "list --search nobody",
        "pin acme --priority 2 --for 1h --reason audit",
        "unpin acme",
        "reset acme --reason twice",
        "forget birch --reason gone --yes",
        "doctor",
        "prune",
        "prune --dry-run",
        "simulate --policy slow --kind few:1:1/min --hours 1",
    ):
        call_command("doc_priority", *command.split())
    for options in ((), ("--dry-run",)):
        call_command("put_back_tasks", "--older-than=3600", *options)


@pytest.mark.usefixtures("replica_away")
@pytest.mark.parametrize("reach", [None, f"{__name__}.everybody"], ids=["all", "reach"])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_rest(root: Client, settings: Any, call: Call, reach: str | None) -> None:
    settings.DOC_PRIORITY = {"API_CUSTOMERS": reach}
    key = "new" if call.status == 201 else "acme"
    answer = Caller(client=root).request(*call.to(key=key))
    assert answer.status_code == call.status


@pytest.mark.usefixtures("replica_lags_or_away")
def test_lists_and_numbers_agree_with_a_look_at_the_customer(
    root: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    api = Caller(client=root)
    assert api.get("customers/acme/").json()["priority"] == 9
    for address in (
        "customers/?ordering=-priority",
        "customers/?state=counting",
        "customers/?priority_min=7",
    ):
        assert api.get(address).json()["results"][0]["priority"] == 9
    stats = api.get("stats/").json()
    assert (stats["priorities"]["9"], stats["counting"]) == (1, 1)
    call_command("doc_priority", "peek", "acme", "--why", "--json")
    (told_why,) = json.loads(capsys.readouterr().out)
    assert told_why["priority"] == 9
    assert "30 documents" in told_why["explanation"]
    assert "from priority 1 to 9" in told_why["explanation"]
    call_command("doc_priority", "list", "--priority", "9", "--json")
    assert [row["customer"] for row in json.loads(capsys.readouterr().out)] == ["acme"]


@pytest.mark.usefixtures("replica_lags_or_away")
def test_live_metrics() -> None:
    portal.count.enqueue("acme")
    live.expire()
    found = {
        (family.name, *sample.labels.values()): sample.value
        for family in live.collect()
        for sample in family.samples
    }
    live.expire()
    assert found["doc_priority_live_up",] == 1
    assert found["doc_priority_live_customers", "9"] == 1
    assert found["doc_priority_counting_customers",] == 1
    assert waiting.engines["django-tasks"]() is not None
    for engine in waiting.engines:
        assert ("doc_priority_oldest_waiting_seconds", engine) in found


@pytest.mark.usefixtures("replica_lags_or_away")
def test_tasks_a_portals_tests_and_services_among_the_customers_of_a_caller() -> None:
    """The depth within 9 follows the policy, and a failed task is enqueued again."""
    decision = services.check("acme")
    assert engine_priority(decision, "django-tasks") == -41
    first = portal.process.enqueue("acme", "INV-1")
    assert first.task.priority == -41
    DBTaskResult.objects.filter(pk=first.id).update(status="FAILED")
    assert portal.process.enqueue("acme", "INV-1").status == "READY"

    set_priority("acme", 9)
    assert services.peek("acme").pending_documents == -9

    services.create_customer("new", among=Customer.objects.filter(key="new"))
    services.change_customer("acme", name="A", among=Customer.objects.filter(name="A"))


@pytest.mark.usefixtures("replica_lags_or_away")
def test_pages_forms_and_corrections_of_the_admin(root: Client, acme: Customer) -> None:
    """Signed in where Django can write the admin's own history."""
    portals_router: Any = router.routers[0]
    portals_router.on_the_primary.add("contenttypes")
    services.check("acme", document="INV-1")
    services.reset("birch", reason="on the phone")
    assert listed(root, "priority=9&state=counting") == [acme.pk]
    policy = acme.policy
    assert policy is not None
    for name, args, shown in (
        (CUSTOMERS, (), "slow"),
        ("admin:doc_priority_customer_change", (acme.pk,), "INV-1"),
        ("admin:doc_priority_customer_standing", (acme.pk,), "31 documents"),
        ("admin:doc_priority_dashboard", (), "on the phone"),
        ("admin:doc_priority_rule", (), "slow"),
        ("admin:doc_priority_event_changelist", (), "on the phone"),
        ("admin:doc_priority_policy_changelist", (), "slow"),
        ("admin:doc_priority_policy_change", (policy.pk,), "slow"),
    ):
        page = root.get(reverse(name, args=args))
        assert page.status_code == 200
        assert shown in page.content.decode()

    # Forms.
    gold = Policy.objects.using("default").get(name="gold")
    terms = {f"threshold_{number}": -number for number in range(1, 9)}
    new = {"name": "gold", "reset_interval": 60, "recovery": "idle", **terms}
    add = reverse("admin:doc_priority_policy_add")
    assert "already exists" in text_of(root.post(add, new))
    assert root.post(add, {**new, "name": "silver"}).status_code == 302
    change = reverse("admin:doc_priority_customer_change", args=[acme.pk])
    given = {"name": "New", "policy": gold.pk, "reason": "Contract", "policy_seen": "slow|gold"}
    assert root.post(change, given).status_code == 302
    assert services.peek("acme").policy == "gold"

    # Corrections.
    services.pin("acme", priority=9, until=LATER_ON)
    pin = {"priority": "2", "until": LATER}
    for page, action, fields, message in [
        (UNPIN, "unpin_priority", {}, "Pin of New removed."),
        (PIN, "pin_priority", pin, "Priority of New pinned."),
        (RESET, "reset_priority", {}, "Counter of New reset to 0."),
        (FORGET, "delete_selected", {}, "1 customer was deleted."),
    ]:
        priority = services.peek("acme").priority
        asked = tick(root, action, acme)
        assert f"New acme {priority}" in text_of(asked)
        assert f"New acme {priority}" in text_of(ask(root, page, acme))
        answer = send(root, page, asked, reason="on the phone", **fields)
        assert told(answer) == [message]
