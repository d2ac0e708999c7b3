"""How a policy ends."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models.signals import post_save
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from doc_priority import services
from doc_priority.admin import refusals
from doc_priority.exceptions import (
    CounterBusy,
    DocPriorityError,
    InvalidPolicy,
    InvalidText,
    PolicyExists,
    PolicyInUse,
    PolicyNotFound,
    TransactionConflict,
)
from doc_priority.models import Event, Policy
from tests.admin.policy_pages import LIST, address, delete_ticked, messages_of, text_of
from tests.factories import CustomerFactory, PolicyFactory
from tests.sessions import open_transaction

pytestmark = pytest.mark.django_db


def test_a_policy_that_nobody_has_is_deleted_with_a_reason(admin: Client) -> None:
    gold = PolicyFactory(name="gold")
    asked = text_of(admin.get(address(gold, "delete")))
    assert "Delete the policy “gold”?" in asked
    response = admin.post(
        address(gold, "delete"), {"post": "yes", "reason": "No contract"}, follow=True
    )
    assert [level for level, _ in messages_of(response)] == ["success"]
    assert not Policy.objects.exists()
    event = Event.objects.get()
    assert (event.kind, event.before["policy"], event.after) == ("policy", "gold", {})
    assert (event.actor, event.source, event.reason) == ("root", "admin", "No contract")
    assert LogEntry.objects.get().is_deletion()


@pytest.mark.parametrize(("customers", "said"), [(1, "1 customer has"), (3, "3 customers have")])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_policy_that_customers_have_stays(
    admin: Client, customers: int, said: str, method: str
) -> None:
    gold = PolicyFactory(name="gold")
    CustomerFactory.create_batch(customers, policy=gold)
    ask = getattr(admin, method)
    response = ask(address(gold, "delete"), {"post": "yes"}, follow=True)
    [(level, message)] = messages_of(response)
    assert level == "error"
    assert f"{said} the policy “gold”" in message
    assert "another policy first" in message
    assert_nothing_happened(gold)


def assert_nothing_happened(*policies: Policy) -> None:
    assert set(Policy.objects.all()) == set(policies)
    assert not Event.objects.exists()
    assert not LogEntry.objects.exists()


def test_asking_to_delete_one_with_many_customers_reads_none_of_them(
    admin: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    gold = PolicyFactory(name="gold")
    CustomerFactory.create_batch(30, policy=gold)
    with django_assert_num_queries(3):  # the session, the user, the policy
        assert admin.get(address(gold, "delete")).status_code == 302


def test_several_are_deleted_at_once(admin: Client) -> None:
    gold, silver = PolicyFactory(name="gold"), PolicyFactory(name="silver")
    asked = admin.post(LIST, {"action": "delete_selected", "_selected_action": [gold.pk]})
    assert "Are you sure" in text_of(asked)
    response = delete_ticked(admin, gold, silver)
    assert [level for level, _ in messages_of(response)] == ["success"]
    assert not Policy.objects.exists()
    assert {event.before["policy"] for event in Event.objects.all()} == {"gold", "silver"}
    assert LogEntry.objects.count() == 2


def test_of_several_none_is_deleted_when_customers_have_one(admin: Client) -> None:
    gold, silver = PolicyFactory(name="gold"), PolicyFactory(name="silver")
    CustomerFactory(policy=gold)
    [(level, message)] = messages_of(delete_ticked(admin, gold, silver))
    assert level == "error"
    assert "1 customer has the policy “gold”" in message
    assert_nothing_happened(gold, silver)


@contextmanager
def meanwhile(act: Callable[[], object]) -> Iterator[None]:
    """Somebody else does something between the question and the deletion."""

    def first(**_: object) -> None:
        act()

    post_save.connect(first, sender=LogEntry)
    try:
        yield
    finally:
        post_save.disconnect(first, sender=LogEntry)


def delete_on_its_page(admin: Client, policy: Policy) -> Any:
    return admin.post(address(policy, "delete"), {"post": "yes"}, follow=True)


every_way = pytest.mark.parametrize("delete", [delete_on_its_page, delete_ticked])


@every_way
def test_a_customer_who_gets_the_policy_meanwhile_keeps_it(
    admin: Client, delete: Callable[[Client, Policy], Any]
) -> None:
    gold = PolicyFactory(name="gold")
    with meanwhile(lambda: services.create_customer("acme", policy="gold")):
        response = delete(admin, gold)
    [(level, message)] = messages_of(response)
    assert level == "error"
    assert "The policy is in use" in message
    assert_nothing_happened(gold)


@every_way
def test_a_policy_that_is_deleted_meanwhile_is_told(
    admin: Client, delete: Callable[[Client, Policy], Any]
) -> None:
    gold = PolicyFactory(name="gold")
    with meanwhile(Policy.objects.all().delete):
        response = delete(admin, gold)
    [(level, message)] = messages_of(response)
    assert level == "error"
    assert "was deleted meanwhile" in message
    assert_nothing_happened(gold)


@every_way
@pytest.mark.concurrency
@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True)
def test_a_policy_that_others_hold_is_told(
    settings: Any, admin: Client, delete: Callable[[Client, Policy], Any]
) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 100}
    gold = PolicyFactory(name="gold")
    with open_transaction("SELECT * FROM doc_priority_policy FOR UPDATE"):
        response = delete(admin, gold)
    [(level, message)] = messages_of(response)
    assert level == "error"
    assert "try again" in message
    assert_nothing_happened(gold)


def test_a_reason_that_cannot_be_shown_is_refused(admin: Client) -> None:
    gold = PolicyFactory(name="gold")
    data = {"post": "yes", "reason": "\u202eeno"}
    [(level, message)] = messages_of(admin.post(address(gold, "delete"), data, follow=True))
    assert level == "error"
    assert "The reason is too long, or has control characters" in message
    assert_nothing_happened(gold)


def test_a_policy_that_is_not_there(admin: Client) -> None:
    missing = reverse("admin:doc_priority_policy_delete", args=[404])
    [(level, message)] = messages_of(admin.get(missing, follow=True))
    assert level == "warning"
    assert "Perhaps it was deleted" in message


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (CounterBusy(), "try again"),
        (TransactionConflict(), "try again"),
        (PolicyExists(), "use another name"),
        (PolicyNotFound(), "deleted meanwhile"),
        (PolicyInUse(), "give its customers another one"),
        (InvalidText(), "write it anew"),
        (InvalidPolicy("No thresholds."), "eight falling thresholds"),
    ],
)
def test_each_refusal_says_what_to_do(error: DocPriorityError, told: str) -> None:
    assert told in refusals.in_words(error)
