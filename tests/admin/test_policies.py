"""Policies: their list, who may do what, and how one is deleted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models.signals import post_save
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from doc_priority import services
from doc_priority.models import Customer, Event, Policy
from tests.admin.conftest import SignIn
from tests.admin.policy_pages import ADD, LIST, change_of
from tests.databases import open_transaction
from tests.factories import CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db


def text_of(response: HttpResponse) -> str:
    assert response.status_code == 200
    return response.content.decode()


def delete_of(policy: Policy) -> str:
    return reverse("admin:doc_priority_policy_delete", args=[policy.pk])


def delete_on_its_page(admin: Client, policy: Policy) -> Any:
    return admin.post(delete_of(policy), {"post": "yes"}, follow=True)


def delete_ticked(admin: Client, *policies: Policy) -> Any:
    ticked = [policy.pk for policy in policies]
    data = {"action": "delete_selected", "_selected_action": ticked, "post": "yes"}
    return admin.post(LIST, data, follow=True)


def only_message(response: Any) -> tuple[str, str]:
    [message] = response.context["messages"]
    return message.level_tag, str(message)


def test_each_policy_shows_its_terms_and_customers_and_is_found_by_its_name(admin: Client) -> None:
    gold = PolicyFactory(name="gold", reset_interval=5400, recovery="halving", threshold_8=-1000)
    CustomerFactory.create_batch(3, policy=gold)
    text = text_of(admin.get(LIST))
    assert "<bdi>gold</bdi>" in text
    assert "1 h 30 min" in text
    assert "halves with every tenth of the interval" in text
    assert "−2, −4, −6, −8, −10, −12, −14, −1,000" in text
    customers = reverse("admin:doc_priority_customer_changelist")
    assert f'href="{customers}?policy={gold.pk}">3</a>' in text

    PolicyFactory(name="Gold contract")
    PolicyFactory(name="silver")
    text = text_of(admin.get(LIST, {"q": "gOLD"}))
    assert "Gold contract" in text
    assert "silver" not in text


def test_an_empty_list_explains_the_default_policy(admin: Client, sign_in: SignIn) -> None:
    text = text_of(admin.get(LIST))
    assert "All customers are under the default policy" in text
    assert "add a policy here, then choose it on the customer" in text
    assert reverse("admin:doc_priority_rule") in text
    assert "default policy" not in text_of(admin.get(LIST, {"q": "gold"}))
    viewed = text_of(sign_in("view_policy").get(LIST))
    assert "All customers are under the default policy" in viewed
    assert "add a policy" not in viewed


def test_no_query_string_is_a_server_error(admin: Client) -> None:
    gold = PolicyFactory(name="gold")
    filters = ["name=gold", "name__regex=(", "threshold_1=x", "customers__name=x", "nothing=1"]
    django_s = ["o=99", "o=-x.%00", "p=0", "p=" + "9" * 30, "_to_field=name", "_popup=1", "e=1"]
    empty = [f"{name}=%00" for name in ("name", "q", "p", "_to_field", "all", "e=1&name", "%00")]
    for query in (*filters, *django_s, *empty):
        assert admin.get(f"{LIST}?{query}").status_code in (200, 302, 400), query
    terms = ["reset_interval=" + "9" * 5000, "threshold_1=(&threshold_2=-9", "recovery=%00"]
    for query in (*terms, "name=%00", "terms_opened=%00", "_changelist_filters=%00"):
        for page in (ADD, change_of(gold)):
            assert admin.get(f"{page}?{query}").status_code in (200, 302, 400), query


def assert_nothing_happened(*policies: Policy) -> None:
    assert set(Policy.objects.all()) == set(policies)
    assert not Event.objects.exists()
    assert not LogEntry.objects.exists()


def test_a_policy_without_customers_is_deleted_with_a_reason(admin: Client, gold: Policy) -> None:
    asked = text_of(admin.get(delete_of(gold)))
    assert "Delete the policy “gold”?" in asked
    response = admin.post(delete_of(gold), {"post": "yes", "reason": "No contract"}, follow=True)
    assert only_message(response)[0] == "success"
    assert not Policy.objects.exists()
    event = Event.objects.get()
    assert (event.kind, event.before["policy"], event.after) == ("policy", "gold", {})
    assert (event.actor, event.source, event.reason) == ("root", "admin", "No contract")
    assert LogEntry.objects.get().is_deletion()


def test_a_policy_with_customers_stays_and_a_wrong_reason_or_address_is_reported(
    admin: Client, gold: Policy
) -> None:
    for customers, said in ((1, "1 customer has"), (29, "30 customers have")):
        CustomerFactory.create_batch(customers, policy=gold)
        for ask in (admin.get, admin.post):
            level, message = only_message(ask(delete_of(gold), {"post": "yes"}, follow=True))
            assert level == "error"
            assert f"{said} the policy “gold”" in message
            assert "another policy first" in message
    assert_nothing_happened(gold)

    data = {"post": "yes", "reason": "\u202eeno"}
    level, message = only_message(admin.post(delete_of(gold), data, follow=True))
    assert level == "error"
    assert "The reason is too long, or has control characters" in message
    assert_nothing_happened(gold)

    missing = reverse("admin:doc_priority_policy_delete", args=[404])
    level, message = only_message(admin.get(missing, follow=True))
    assert level == "warning"
    assert "Perhaps it was deleted" in message


def test_several_are_deleted_at_once_or_none(admin: Client, gold: Policy) -> None:
    silver = PolicyFactory(name="silver")
    acme = CustomerFactory(policy=gold)
    level, message = only_message(delete_ticked(admin, gold, silver))
    assert level == "error"
    assert "1 customer has the policy “gold”" in message
    assert_nothing_happened(gold, silver)

    acme.delete()
    asked = admin.post(LIST, {"action": "delete_selected", "_selected_action": [gold.pk]})
    assert "Are you sure" in text_of(asked)
    assert only_message(delete_ticked(admin, gold, silver))[0] == "success"
    assert not Policy.objects.exists()
    assert {event.before["policy"] for event in Event.objects.all()} == {"gold", "silver"}
    assert LogEntry.objects.count() == 2


either_way = pytest.mark.parametrize("delete", [delete_on_its_page, delete_ticked])


@either_way
def test_what_others_did_to_the_policy_meanwhile_is_reported(
    admin: Client, gold: Policy, delete: Callable[[Client, Policy], Any]
) -> None:
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

    with meanwhile(lambda: services.create_customer("acme", policy="gold")):
        level, message = only_message(delete(admin, gold))
    assert level == "error"
    assert "The policy is in use" in message
    assert_nothing_happened(gold)
    Customer.objects.all().delete()

    with meanwhile(Policy.objects.all().delete):
        level, message = only_message(delete(admin, gold))
    assert level == "error"
    assert "was deleted meanwhile" in message
    assert_nothing_happened(gold)


@either_way
@pytest.mark.concurrency
@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True)
def test_a_policy_that_others_hold_is_reported(
    settings: Any, admin: Client, gold: Policy, delete: Callable[[Client, Policy], Any]
) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 100}
    with open_transaction("SELECT * FROM doc_priority_policy FOR UPDATE"):
        level, message = only_message(delete(admin, gold))
    assert level == "error"
    assert "try again" in message
    assert_nothing_happened(gold)
