"""The page of one customer: its priority and why, what happened, and its form."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from doc_priority import services
from doc_priority.admin.formatting import to_the_minute
from doc_priority.formats import AT, SINCE
from doc_priority.models import Customer, Event, Policy
from tests.admin.conftest import CUSTOMERS, text_of, told
from tests.factories import (
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
    at_priority,
    pinned,
)

pytestmark = pytest.mark.django_db

CHANGE = "admin:doc_priority_customer_change"


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


def test_it_explains_the_priority_and_a_pin(admin: Client) -> None:
    for _ in range(14):
        services.check("acme")
    services.rename_customer("acme", name="Acme Ltd")
    decision = services.peek("acme")
    text = text_of(page_of(admin, Customer.objects.get()))
    since, end = SINCE.of(decision.decided_at), AT.of(decision.resets_at)
    assert f"7 13 documents {since} moved Acme Ltd from priority 1 to 7." in text
    assert f"If nothing new arrives, the priority is back at 1 {end}." in text
    assert re.search(r"Pending documents −13 Back at 0 in (25:00|24:5\d)", text)

    held, acme = pinned(2), at_priority(7, name="Acme")
    text = text_of(page_of(admin, held))
    assert f"Pinned until {to_the_minute(held.counter.pinned_until)}" in text
    assert "is pinned to priority 2 until" in text
    assert "Unpin priority…" in text

    assert "Unpin priority…" not in text_of(page_of(admin, acme))
    services.pin(acme.key, priority=2, until=None)
    text = text_of(page_of(admin, acme))
    assert "2 pinned Acme is pinned to priority 2 without an end." in text
    assert "Pinned without an end" in text
    assert "pin: 7 → 2; pinned without an end" in text


def test_its_last_documents_and_events_are_listed_and_its_script_gets_the_explanation(
    admin: Client,
) -> None:
    standing = "admin:doc_priority_customer_standing"
    acme = at_priority(7)
    answer = admin.get(reverse(standing, args=[acme.pk])).json()
    page = page_of(admin, acme).content.decode()
    assert "13 documents since" in answer["html"]
    assert re.fullmatch(r"\d\d:\d\d:\d\d", answer["updated"])
    numbers = r"\d+:\d\d|\d+"
    assert re.sub(numbers, "", answer["html"].strip()) in re.sub(numbers, "", page)
    assert admin.get(reverse(standing, args=[4711])).status_code == 404

    acme = at_priority(7)
    DocumentDecisionFactory.create(
        customer=acme, document="<INV-7>", pending_documents=-13, priority=7, pinned=True
    )
    EventFactory.create(customer=acme.key, actor="maria", reason="asked on the phone")
    moment = datetime.now(UTC) - timedelta(days=40)
    EventFactory.create(customer=acme.key, created_at=moment)
    EventFactory.create(customer="somebody-else", reason="nothing to see")
    page = page_of(admin, acme)
    text = text_of(page)
    assert re.search(r"\d\d:\d\d:\d\d <INV-7> 7 pinned −13", text)
    assert re.search(r"\d\d:\d\d reset maria asked on the phone", text)
    assert f"{timezone.localtime(moment):%Y-%m-%d %H:%M}" in text
    assert "nothing to see" not in text
    assert "<INV-7>" not in page.content.decode()
    assert "1 document in the last 24 hours" in text

    text = text_of(page_of(admin, CustomerFactory.create()))
    assert "No documents recorded. Only checks with a document name are recorded." in text
    assert "No events yet." in text
    assert "no document has been counted yet" in text


def test_a_customer_is_added_but_not_an_invalid_one(admin: Client) -> None:
    add = "admin:doc_priority_customer_add"
    policy = PolicyFactory.create(name="contract")
    typed = {"key": "acme", "name": "Acme Ltd", "policy": policy.pk}
    done = admin.post(reverse(add), typed, follow=True)
    assert "was added successfully" in told(done)[0]
    made = Customer.objects.get()
    assert (made.key, made.name, made.policy) == ("acme", "Acme Ltd", policy)
    assert LogEntry.objects.get().object_id == str(made.pk)

    for typed, said in (
        ({"key": ""}, "This field is required."),
        ({"key": "a b"}, "1 to 64 characters"),
        ({"key": ".."}, "cannot be “.” or “..”"),
        ({"key": "x" * 65}, "at most 64 characters"),
        ({"key": "acme"}, "A customer with this ID already exists"),
        ({"key": "new", "name": "x" * 201}, "at most 200 characters"),
        ({"key": "new", "name": "a\u202eb"}, "invisible characters"),
        ({"key": "new", "policy": "4711"}, "Select a valid choice."),
    ):
        answer = admin.post(reverse(add), {"name": "", "policy": "", **typed})
        assert said in text_of(answer), typed
    assert Customer.objects.count() == 1


def test_another_policy_is_previewed_first_and_needs_a_reason(admin: Client, gold: Policy) -> None:
    acme = at_priority(7, name="Acme")
    falling = {f"threshold_{one}": -10 * one for one in range(1, 8)}
    Policy.objects.update(**falling, threshold_8=-99)

    asked = save(admin, acme, name="Acme", policy=gold.pk)
    text = text_of(asked)
    assert "Policy: the default policy → “gold”. Priority now: 7 → 2." in text
    assert "Not saved yet. Save again to confirm." in text
    assert "The policy “gold” applies." not in text
    assert "Enter a reason for the change of policy." in text
    assert 'name="policy_seen" value="|gold"' in asked.content.decode()

    again = save(admin, acme, name="Acme", policy=gold.pk, reason=" ", policy_seen="|gold")
    assert "Enter a reason for the change of policy." in text_of(again)
    unseen = save(admin, acme, name="Acme", policy=gold.pk, reason="VIP", policy_seen="iron|gold")
    assert "Not saved yet" in text_of(unseen)
    hidden = save(admin, acme, name="Acme", policy=gold.pk, reason="a\u202eb", policy_seen="|gold")
    assert "invisible characters" in text_of(hidden)
    assert not Event.objects.exists()

    done = save(admin, acme, name="Acme", policy=gold.pk, reason="VIP", policy_seen="|gold")
    assert told(done)[0] == "Policy change: the default policy → “gold”; 7 → 2"
    assert done.redirect_chain[-1][0] == reverse(CHANGE, args=[acme.pk])  # type: ignore[attr-defined]
    assert Event.objects.get().reason == "VIP"

    held = pinned(4)
    assert "Priority now: 4 → 4." in text_of(save(admin, held, name=held.name, policy=gold.pk))


def test_name_and_policy_can_be_changed_and_the_key_cannot(admin: Client, gold: Policy) -> None:
    acme = CustomerFactory.create(name="Acme", policy=gold)
    done = save(admin, acme, name="Acme Ltd", policy=gold.pk)
    assert done.redirect_chain[-1][0] == reverse(CUSTOMERS)  # type: ignore[attr-defined]
    assert Customer.objects.get().name == "Acme Ltd"
    save(admin, acme, name="Acme Ltd", policy=gold.pk)
    assert not Event.objects.exists()

    acme = CustomerFactory.create(key="acme", name="Acme")
    typed = {"policy": gold.pk, "reason": "Contract 7", "policy_seen": "|gold"}
    done = save(admin, acme, key="other", name="Acme Ltd", **typed)
    assert "was changed successfully" in told(done)[1]
    acme.refresh_from_db()
    assert (acme.key, acme.name, acme.policy) == ("acme", "Acme Ltd", gold)
    event = Event.objects.get()
    assert (event.kind, event.actor, event.source) == ("policy", "root", "admin")
    assert event.reason == "Contract 7"

    save(admin, acme, name="Acme Ltd", policy="", reason="It ended", policy_seen="gold|")
    acme.refresh_from_db()
    assert acme.policy is None
    assert Event.objects.count() == 2


def test_a_policy_set_meanwhile_is_kept_or_asked_about(admin: Client, gold: Policy) -> None:
    """Only what was typed is changed; a policy that was not seen is not replaced unasked."""
    acme, iron = CustomerFactory.create(name="Acme"), PolicyFactory.create(name="iron")
    form = page_of(admin, acme).content.decode()
    shown_then = dict(re.findall(r'name="(initial-\w+)"(?: value="([^"]*)")?', form))
    assert shown_then == {"initial-name": "Acme", "initial-policy": ""}
    typed = {**shown_then, "policy": gold.pk, "reason": "VIP"}
    save(admin, acme, name="Acme", **typed)
    services.set_policy(acme.key, policy="iron")

    asked_again = text_of(save(admin, acme, name="Acme", **typed, policy_seen="|gold"))
    assert "Policy: “iron” → “gold”." in asked_again
    assert Customer.objects.get().policy == iron

    save(admin, acme, name="Acme Ltd", **shown_then, policy="")
    acme.refresh_from_db()
    assert (acme.name, acme.policy) == ("Acme Ltd", iron)

    save(admin, acme, **shown_then, name="Acme & Co", policy=iron.pk)
    acme.refresh_from_db()
    assert (acme.name, acme.policy) == ("Acme & Co", iron)
    assert Event.objects.count() == 1


def test_what_others_did_meanwhile_is_told_and_nothing_is_logged(admin: Client) -> None:
    acme = CustomerFactory.create()
    address = reverse(CHANGE, args=[acme.pk])
    services.forget(acme.key)
    answer = admin.post(address, {"name": "x"}, follow=True)
    assert told(answer) == ["This customer does not exist. It may have been deleted."]
    assert answer.request["PATH_INFO"] == reverse(CUSTOMERS)

    acme, policy = CustomerFactory.create(name="Acme"), PolicyFactory.create(name="contract")

    def renamed_meanwhile(execute: Any, sql: str, *arguments: Any) -> Any:
        """By its name the policy is looked for when the form was found right."""
        if "FROM doc_priority_policy WHERE name = " in sql:
            Policy.objects.filter(pk=policy.pk).update(name="another")
        return execute(sql, *arguments)

    with connection.execute_wrapper(renamed_meanwhile):
        confirmed = {"policy": policy.pk, "reason": "Contract", "policy_seen": "|contract"}
        answer = save(admin, acme, name="Acme", **confirmed)

    assert "The policy has been deleted in the meantime. Nothing was changed." in text_of(answer)
    assert not LogEntry.objects.exists()
    assert Customer.objects.get().policy is None
