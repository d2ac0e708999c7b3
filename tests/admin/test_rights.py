"""Who may open which page, see or change what on it; and how many queries each page takes."""

import re

import pytest
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from doc_priority.admin import CustomerAdmin
from doc_priority.models import Customer, Event, Policy
from tests.admin.confirmations import FORGET, LATER, PIN, RESET, UNPIN
from tests.admin.conftest import CUSTOMERS, LIST, PREVIEW, STEPS, SignIn, change_of, text_of, typed
from tests.factories import (
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
    at_priority,
    at_rest,
    pinned,
)

pytestmark = pytest.mark.django_db

CORRECTIONS = {"reset": RESET, "pin": PIN, "unpin": UNPIN, "forget": FORGET}


def pages_of(customer: Customer, policy: Policy, event: Event) -> dict[str, str]:
    """The addresses of all pages, by short names."""

    def of(name: str, *arguments: int) -> str:
        return reverse(f"admin:doc_priority_{name}", args=arguments)

    corrections = {name: reverse(view) for name, view in CORRECTIONS.items()}
    asked = {name: f"{page}?customer={customer.pk}" for name, page in corrections.items()}
    return {
        "customers": of("customer_changelist"),
        "live": of("customer_live"),
        "customer": of("customer_change", customer.pk),
        "standing": of("customer_standing", customer.pk),
        "add customer": of("customer_add"),
        **asked,
        "dashboard": of("dashboard"),
        "dashboard live": of("dashboard_live"),
        "rule": of("rule"),
        "policies": of("policy_changelist"),
        "policy": of("policy_change", policy.pk),
        "add policy": of("policy_add"),
        "delete policy": of("policy_delete", policy.pk),
        "preview": of("policy_preview"),
        "events": of("event_changelist"),
        "event": of("event_change", event.pk),
        "add event": of("event_add"),
        "delete event": of("event_delete", event.pk),
    }


def test_each_page_asks_for_its_permission(admin: Client, sign_in: SignIn, gold: Policy) -> None:
    pages = pages_of(pinned(2), gold, EventFactory())
    looking = "customers, live, customer, standing, dashboard, dashboard live, rule"
    for permissions, allowed in {
        "view_customer add_customer": f"{looking}, add customer",
        "view_customer change_customer reset_customer": f"{looking}, reset",
        "view_customer pin_customer": f"{looking}, pin, unpin",
        "view_customer delete_customer": f"{looking}, forget",
        "reset_customer pin_customer delete_customer": "",
        "view_policy": "policies, policy, rule",
        "add_policy": "add policy, preview",
        "change_policy": "policies, policy, preview, rule",
        "delete_policy": "delete policy",
        "view_event": "events, event",
    }.items():
        client = sign_in(*permissions.split(), username=permissions)
        answers = {name: client.get(page).status_code for name, page in pages.items()}
        opened = [name for name, status in answers.items() if status == 200]
        assert sorted(opened) == sorted(filter(None, allowed.split(", "))), permissions
        assert {answers[name] for name in pages if name not in opened} <= {403}, permissions
    for name, page in pages.items():
        assert "/login/" in Client().get(page)["Location"], name
        if name in ("add event", "delete event"):  # Nobody writes events, whatever is permitted.
            assert admin.get(page).status_code == 403


def test_without_its_permission_nothing_is_written(sign_in: SignIn, gold: Policy) -> None:
    held, event = pinned(2, name="Held"), EventFactory(reason="as it was")
    pages = pages_of(held, gold, event)
    viewer = sign_in("view_customer", "change_policy", "view_event", username="viewer")
    looking = sign_in("view_policy", "change_customer", username="looking")
    sent = {"customers": held.pk, "reason": "x", "priority": 1, "until": LATER, "post": "yes"}
    sent |= typed(reset_interval=600, name="other")
    others = ["customer", "add customer", "add policy", "delete policy", "event", "add event"]
    for client, names, statuses in (
        (viewer, [*others, *CORRECTIONS], {403}),
        (viewer, ["dashboard", "dashboard live"], {405}),
        (looking, ["policy", "delete policy", *CORRECTIONS], {403}),
        (Client(), pages, {302}),
    ):
        for name in names:
            answer = client.post(pages[name].partition("?")[0], sent)
            assert answer.status_code in statuses, name
    ticked = {"action": "delete_selected", "_selected_action": [gold.pk], "post": "yes"}
    assert looking.post(LIST, ticked, follow=True).status_code == 200
    assert (Customer.objects.get().name, Policy.objects.get().reset_interval) == ("Held", 1500)
    assert Event.objects.get().reason == "as it was"


def test_only_permitted_actions_and_buttons_are_offered(sign_in: SignIn) -> None:
    held = pinned(2, name="Held")
    page = reverse("admin:doc_priority_customer_change", args=[held.pk])
    everything = ["Reset counter…", "Pin priority…", "Unpin priority…", "Delete"]
    for permission, actions, buttons in (
        ("reset_customer", {"reset_priority"}, ["Reset counter…"]),
        ("pin_customer", {"pin_priority", "unpin_priority"}, ["Pin priority…", "Unpin priority…"]),
        ("delete_customer", {"delete_selected"}, ["Delete"]),
        ("view_policy", set(), []),
    ):
        client = sign_in("view_customer", permission, username=permission)
        listed = client.get(reverse(CUSTOMERS)).content.decode()
        offered = set(re.findall(r'<option value="(\w+)"', listed))
        assert offered == {"export_as_csv", *actions}, permission
        shown = client.get(page)
        text = text_of(shown)
        assert [button for button in everything if button in text] == buttons, permission
        assert 'name="name"' not in shown.content.decode()


def test_events_and_policies_lead_only_to_customers_one_may_see(
    sign_in: SignIn, gold: Policy
) -> None:
    acme = CustomerFactory(key="acme", name="Acme", policy=gold)
    event = EventFactory(customer="acme", actor="the actor")
    pages = pages_of(acme, gold, event)
    reader = sign_in("view_event", "view_policy", username="reader")
    viewer = sign_in("view_event", "view_policy", "view_customer", username="viewer")
    for name in ("events", "event"):
        read = reader.get(pages[name]).content.decode()
        assert "acme" in read
        assert f"/customer/{acme.pk}/change/" not in read
        assert f"/customer/{acme.pk}/change/" in viewer.get(pages[name]).content.decode()
    assert f"?policy={gold.pk}" not in reader.get(LIST).content.decode()
    assert f'?policy={gold.pk}">1</a>' in viewer.get(LIST).content.decode()

    without_events = sign_in("view_customer", username="without events")
    for name in ("dashboard", "dashboard live"):
        without = without_events.get(pages[name]).content.decode()
        assert "the actor" not in without
        assert "Latest resets" not in without
        assert "the actor" in viewer.get(pages[name]).content.decode()


LIVE = "admin:doc_priority_customer_live"


@pytest.mark.plain
def test_queries_of_pages(
    admin: Client, gold: Policy, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    acme = at_priority(7, policy=gold)
    for model in (Customer, Policy):
        ContentType.objects.get_for_model(model)  # Django keeps it from then on.
    preview = {"policy": gold.pk, **typed(thresholds=STEPS)}
    for rows in (1, 30):
        for _ in range(rows):
            at_priority(8, policy=gold)
            PolicyFactory()
            EventFactory(customer=at_rest(policy=PolicyFactory()).key)
            EventFactory(customer=acme.key)
            DocumentDecisionFactory(customer=acme)
        for name, queries in {
            "dashboard": 9,
            "dashboard_live": 9,
            "event_changelist": 6,  # The session, the user, the clock, policies, a count, events.
            "policy_changelist": 5,  # The session, the user, two counts, the policies.
            "rule": 3,  # The session, the user, the policies.
        }.items():
            with django_assert_num_queries(queries):
                admin.get(reverse(f"admin:doc_priority_{name}"))
        with django_assert_num_queries(10):
            admin.get(reverse("admin:doc_priority_customer_change", args=[acme.pk]))
        with django_assert_num_queries(5):  # The session, the user, the policy, clock, counters.
            admin.get(PREVIEW, preview)
        with django_assert_num_queries(7):  # The same, a savepoint and its end.
            admin.post(change_of(gold), typed(thresholds=STEPS))
        with django_assert_num_queries(3):  # The session, the user, the policy.
            admin.get(reverse("admin:doc_priority_policy_delete", args=[gold.pk]))
        admin.get(LIST)  # Shows what the last one said.


def test_queries_of_the_live_list(
    sign_in: SignIn,
    django_assert_num_queries: DjangoAssertNumQueries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One more where the list has several pages; a page with customers of both kinds has two."""
    monkeypatch.setattr(CustomerAdmin, "list_per_page", 10)
    client = sign_in("view_customer")
    for times, queries in ((1, 9), (10, 10)):
        for _ in range(times):
            for level in (1, 7, 9):
                at_priority(level)
            at_rest()
        for query in ("", "priority=7-9", "priority=1", "state=idle", "q=customer"):
            with django_assert_num_queries(queries):
                client.get(f"{reverse(CUSTOMERS)}?{query}")


def test_queries_of_a_refresh(
    sign_in: SignIn, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = sign_in("view_customer")
    for customers in (1, 20):
        pks = [at_priority(7).pk for _ in range(customers)] + [at_rest().pk]
        with django_assert_num_queries(9):
            client.get(reverse(LIVE), {"live": ",".join(map(str, pks))})
    gone_from_the_page = {"live": at_rest().pk, "priority": "7-9"}
    with django_assert_num_queries(10):
        client.get(reverse(LIVE), gone_from_the_page)
