"""The page of one customer: where it stands and why, what happened, and its form."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from doc_priority import services
from doc_priority.admin.moments import shown
from doc_priority.models import Customer, Event, Policy
from doc_priority.services import check, peek
from tests.admin.conftest import SignIn
from tests.admin.customers import at_priority, pinned
from tests.admin.lists import CUSTOMERS, text_of, told
from tests.factories import (
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
)

pytestmark = pytest.mark.django_db

ADD = "admin:doc_priority_customer_add"
CHANGE = "admin:doc_priority_customer_change"
STANDING = "admin:doc_priority_customer_standing"


def page_of(client: Client, customer: Customer) -> HttpResponse:
    response = client.get(reverse(CHANGE, args=[customer.pk]))
    assert response.status_code == 200
    return response


def save(client: Client, customer: Customer, **typed: object) -> HttpResponse:
    """Send the form as the customer's page had it, but for what is typed."""
    customer = Customer.objects.get(pk=customer.pk)
    shown_then = {"initial-name": customer.name, "initial-policy": customer.policy_id or ""}
    address = reverse(CHANGE, args=[customer.pk])
    return client.post(address, shown_then | typed, follow=True)


def test_it_says_where_the_customer_stands_and_why(admin: Client) -> None:
    for _ in range(14):
        check("acme")
    services.rename_customer("acme", name="Acme Ltd")
    decision = peek("acme")
    text = text_of(page_of(admin, Customer.objects.get()))
    since, end = shown(decision.decided_at), shown(decision.resets_at)
    assert f"7 13 documents since {since} bring Acme Ltd from 1 to 7." in text
    assert f"Without a new document it is back at 1 at {end}." in text
    assert re.search(r"Pending documents −13 Resets in (25:00|24:5\d)", text)


def test_a_pin_is_told_with_its_end(admin: Client) -> None:
    held = pinned(2)
    until = shown(held.counter.pinned_until)
    text = text_of(page_of(admin, held))
    assert f"Pinned until {until}" in text
    assert "is pinned to priority 2 until" in text


def test_a_pin_without_an_end_is_told_as_such(admin: Client) -> None:
    acme = at_priority(7, name="Acme")
    services.pin(acme.key, priority=2, until=None)
    text = text_of(page_of(admin, acme))
    assert "2 pinned Acme is pinned to priority 2 without an end." in text
    assert "Pinned without an end" in text
    assert "pin: 7 → 2; pinned without an end" in text


def test_its_last_documents_and_events_are_listed(admin: Client) -> None:
    acme = at_priority(7)
    DocumentDecisionFactory.create(
        customer=acme, document="<INV-7>", pending_documents=-13, priority=7, pinned=True
    )
    EventFactory.create(customer=acme.key, actor="maria", reason="asked on the phone")
    EventFactory.create(customer="somebody-else", reason="nothing to see")
    page = page_of(admin, acme)
    assert re.search(r"\d\d:\d\d:\d\d <INV-7> 7 pinned −13", text_of(page))
    assert re.search(r"\d\d:\d\d reset maria asked on the phone", text_of(page))
    assert "nothing to see" not in text_of(page)
    assert "<INV-7>" not in page.content.decode()
    assert "1 document in the last 24 hours" in text_of(page)


def test_where_nothing_happened_it_says_what_would_be_there(admin: Client) -> None:
    text = text_of(page_of(admin, CustomerFactory.create()))
    assert "No document was kept. Only checks that name their document are." in text
    assert "No event yet." in text
    assert "no document has been counted yet" in text


def test_old_days_have_their_date(admin: Client) -> None:
    acme = CustomerFactory.create()
    moment = datetime.now(UTC) - timedelta(days=40)
    EventFactory.create(customer=acme.key, created_at=moment)
    assert f"{moment:%Y}, " in text_of(page_of(admin, acme))


BUTTONS = {
    "reset_customer": {"Reset priority…"},
    "pin_customer": {"Pin priority…", "Unpin priority…"},
    "view_customer": set(),
    "delete_customer": {"Delete"},
}


@pytest.mark.parametrize(("permission", "buttons"), BUTTONS.items())
def test_only_what_is_permitted_has_a_button(
    sign_in: SignIn, permission: str, buttons: set[str]
) -> None:
    text = text_of(page_of(sign_in(*{"view_customer", permission}), pinned(2)))
    everything = {button for buttons in BUTTONS.values() for button in buttons}
    assert {button for button in everything if button in text} == buttons


def test_unpin_is_offered_to_those_who_are_pinned(admin: Client) -> None:
    assert "Unpin priority…" not in text_of(page_of(admin, at_priority(7)))


def test_the_script_gets_the_same_once_more(admin: Client) -> None:
    acme = at_priority(7)
    answer = admin.get(reverse(STANDING, args=[acme.pk]))
    page = page_of(admin, acme).content.decode()
    assert "13 documents since" in answer.json()["html"]
    assert re.sub(r"\d+:\d\d|\d+", "", answer.json()["html"].strip()) in re.sub(
        r"\d+:\d\d|\d+", "", page
    )
    assert re.fullmatch(r"\d\d:\d\d:\d\d", answer.json()["updated"])


def test_the_script_is_told_of_a_customer_that_is_gone(admin: Client, sign_in: SignIn) -> None:
    assert admin.get(reverse(STANDING, args=[4711])).status_code == 404
    assert sign_in().get(reverse(STANDING, args=[4711])).status_code == 403


def test_the_number_of_queries_does_not_grow(
    sign_in: SignIn, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client, acme = sign_in("view_customer"), at_priority(7)
    page_of(client, acme)  # from now on Django knows the model's content type
    with django_assert_num_queries(11):
        page_of(client, acme)
    for number in range(40):
        DocumentDecisionFactory.create(customer=acme, document=f"D-{number}")
        EventFactory.create(customer=acme.key)
    with django_assert_num_queries(11):
        page_of(client, acme)


def test_a_customer_is_made(admin: Client) -> None:
    policy = PolicyFactory.create(name="contract")
    typed = {"key": "acme", "name": "Acme Ltd", "policy": policy.pk}
    done = admin.post(reverse(ADD), typed, follow=True)
    assert "was added successfully" in told(done)[0]
    made = Customer.objects.get()
    assert (made.key, made.name, made.policy) == ("acme", "Acme Ltd", policy)
    assert LogEntry.objects.get().object_id == str(made.pk)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"key": ""}, "This field is required."),
        ({"key": "a b"}, "1 to 64 of the characters"),
        ({"key": ".."}, "neither “.” nor “..”"),
        ({"key": "x" * 65}, "at most 64 characters"),
        ({"key": "known"}, "A customer with this key exists already"),
        ({"key": "acme", "name": "x" * 201}, "at most 200 characters"),
        ({"key": "acme", "name": "a\u202eb"}, "invisible marks"),
        ({"key": "acme", "policy": "4711"}, "Select a valid choice."),
    ],
)
def test_what_is_no_customer_is_refused(admin: Client, typed: dict[str, str], said: str) -> None:
    CustomerFactory.create(key="known")
    answer = admin.post(reverse(ADD), {"name": "", "policy": "", **typed})
    assert said in text_of(answer)
    assert Customer.objects.count() == 1


def test_name_and_policy_are_changed_and_the_key_stays(admin: Client) -> None:
    policy = PolicyFactory.create(name="contract")
    acme = CustomerFactory.create(key="acme", name="Acme")
    gold = {"policy": policy.pk, "reason": "Contract 7", "policy_seen": "|contract"}
    done = save(admin, acme, key="other", name="Acme Ltd", **gold)
    assert "was changed successfully" in told(done)[1]
    acme.refresh_from_db()
    assert (acme.key, acme.name, acme.policy) == ("acme", "Acme Ltd", policy)
    event = Event.objects.get()
    assert (event.kind, event.actor, event.source) == ("policy", "root", "admin")
    assert event.reason == "Contract 7"

    save(admin, acme, name="Acme Ltd", policy="", reason="It ended", policy_seen="contract|")
    acme.refresh_from_db()
    assert acme.policy is None
    assert Event.objects.count() == 2


def test_another_policy_says_first_where_it_leads_and_asks_why(admin: Client) -> None:
    acme, gold = at_priority(7, name="Acme"), PolicyFactory.create(name="gold", threshold_8=-99)
    Policy.objects.update(**{f"threshold_{one}": -10 * one for one in range(1, 8)})

    asked = save(admin, acme, name="Acme", policy=gold.pk)
    text = text_of(asked)
    assert "Policy: the default policy → “gold”. Priority now: 7 → 2." in text
    assert "Nothing is saved yet: save again to confirm." in text
    assert "The policy “gold” applies." not in text
    assert "Another policy needs a reason." in text
    assert 'name="policy_seen" value="|gold"' in asked.content.decode()

    again = save(admin, acme, name="Acme", policy=gold.pk, reason=" ", policy_seen="|gold")
    assert "Another policy needs a reason." in text_of(again)
    unseen = save(admin, acme, name="Acme", policy=gold.pk, reason="VIP", policy_seen="iron|gold")
    assert "Nothing is saved yet" in text_of(unseen)
    assert not Event.objects.exists()

    done = save(admin, acme, name="Acme", policy=gold.pk, reason="VIP", policy_seen="|gold")
    assert told(done)[0] == "Policy change: the default policy → “gold”; 7 → 2"
    assert done.redirect_chain[-1][0] == reverse(CHANGE, args=[acme.pk])  # type: ignore[attr-defined]
    assert Event.objects.get().reason == "VIP"


def test_what_a_colleague_gives_between_question_and_answer_is_asked_about(admin: Client) -> None:
    acme, gold = CustomerFactory.create(name="Acme"), PolicyFactory.create(name="gold")
    typed = {"name": "Acme", "policy": gold.pk, "reason": "VIP", "initial-policy": ""}
    save(admin, acme, **typed)
    services.set_policy(acme.key, policy=PolicyFactory.create(name="iron").name)
    asked_again = text_of(save(admin, acme, **typed, policy_seen="|gold"))
    assert "Policy: “iron” → “gold”." in asked_again
    assert Customer.objects.get().policy.name == "iron"


def test_a_pin_holds_under_another_policy(admin: Client) -> None:
    acme, gold = pinned(4), PolicyFactory.create(name="gold")
    assert "Priority now: 4 → 4." in text_of(save(admin, acme, name=acme.name, policy=gold.pk))


def test_a_new_name_needs_no_reason_and_leads_back_to_the_list(admin: Client) -> None:
    acme = CustomerFactory.create(name="Acme", policy=PolicyFactory.create())
    done = save(admin, acme, name="Acme Ltd", policy=acme.policy_id)
    assert done.redirect_chain[-1][0] == reverse(CUSTOMERS)  # type: ignore[attr-defined]
    assert Customer.objects.get().name == "Acme Ltd"


def test_a_policy_that_a_colleague_gave_already_is_no_change(admin: Client) -> None:
    acme, gold = CustomerFactory.create(name="Acme"), PolicyFactory.create(name="gold")
    services.set_policy(acme.key, policy="gold")
    shown_then = {"initial-name": "Acme", "initial-policy": ""}
    save(admin, acme, name="Acme Ltd", policy=gold.pk, **shown_then)
    assert Event.objects.count() == 1
    assert Customer.objects.get().name == "Acme Ltd"


def test_a_reason_that_cannot_be_shown_is_refused(admin: Client) -> None:
    acme, gold = CustomerFactory.create(name="Acme"), PolicyFactory.create(name="gold")
    typed = {"name": "Acme", "policy": gold.pk, "reason": "a\u202eb", "policy_seen": "|gold"}
    assert "invisible marks" in text_of(save(admin, acme, **typed))
    assert not Event.objects.exists()


def test_what_somebody_else_changed_meanwhile_stays(admin: Client) -> None:
    acme = CustomerFactory.create(name="Acme")
    form = page_of(admin, acme).content.decode()
    shown_then = dict(re.findall(r'name="(initial-\w+)"(?: value="([^"]*)")?', form))
    assert shown_then == {"initial-name": "Acme", "initial-policy": ""}
    services.set_policy(acme.key, policy=PolicyFactory.create(name="gold").name)

    save(admin, acme, name="Acme Ltd", policy="", **shown_then)

    acme.refresh_from_db()
    assert (acme.name, acme.policy.name) == ("Acme Ltd", "gold")


def test_saving_without_a_change_changes_nothing(admin: Client) -> None:
    acme = CustomerFactory.create(name="Acme")
    save(admin, acme, name="Acme", policy="")
    assert not Event.objects.exists()
    assert Customer.objects.get().name == "Acme"


def test_what_a_service_refuses_is_told_and_nothing_is_logged(admin: Client) -> None:
    acme, policy = CustomerFactory.create(name="Acme"), PolicyFactory.create(name="contract")

    def renamed_meanwhile(execute: Any, sql: str, *arguments: Any) -> Any:
        """By its name the policy is looked for when the form was found right."""
        if "FROM doc_priority_policy WHERE name = " in sql:
            Policy.objects.filter(pk=policy.pk).update(name="another")
        return execute(sql, *arguments)

    with connection.execute_wrapper(renamed_meanwhile):
        confirmed = {"policy": policy.pk, "reason": "Contract", "policy_seen": "|contract"}
        answer = save(admin, acme, name="Acme", **confirmed)

    assert "The policy was deleted meanwhile. Nothing was changed." in text_of(answer)
    assert not LogEntry.objects.exists()
    assert Customer.objects.get().policy is None


def test_deleting_needs_its_permission(sign_in: SignIn) -> None:
    acme = CustomerFactory.create()
    address = reverse("admin:doc_priority_customer_delete", args=[acme.pk])
    assert sign_in("view_customer", "change_customer").get(address).status_code == 403


def test_a_customer_that_was_deleted_meanwhile_is_told(admin: Client) -> None:
    acme = CustomerFactory.create()
    address = reverse(CHANGE, args=[acme.pk])
    services.forget(acme.key)
    answer = admin.post(address, {"name": "x"}, follow=True)
    assert told(answer) == ["There is no such customer; perhaps somebody deleted it."]
    assert answer.request["PATH_INFO"] == reverse(CUSTOMERS)


def test_who_may_only_look_cannot_change(sign_in: SignIn) -> None:
    acme = CustomerFactory.create(name="Acme")
    client = sign_in("view_customer")
    assert 'name="name"' not in page_of(client, acme).content.decode()
    assert save(client, acme, name="other", policy="").status_code == 403
    assert client.get(reverse(ADD)).status_code == 403
    assert Customer.objects.get().name == "Acme"
