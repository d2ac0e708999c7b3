"""The list of policies, and how one ends."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.admin import AdminSite
from django.contrib.admin.models import LogEntry
from django.db.models.signals import post_save
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from doc_priority import services
from doc_priority.admin import refusals
from doc_priority.admin.policies import PolicyAdmin
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
from tests.admin.conftest import SignIn
from tests.factories import CustomerFactory, PolicyFactory
from tests.sessions import open_transaction

pytestmark = pytest.mark.django_db

LIST = "/admin/doc_priority/policy/"


def address(policy: Policy, page: str) -> str:
    return reverse(f"admin:doc_priority_policy_{page}", args=[policy.pk])


def text_of(response: HttpResponse) -> str:
    assert response.status_code == 200
    return response.content.decode()


def messages_of(response: Any) -> list[tuple[str, str]]:
    return [(message.level_tag, str(message)) for message in response.context["messages"]]


def delete_ticked(admin: Client, *policies: Policy) -> Any:
    ticked = [policy.pk for policy in policies]
    data = {"action": "delete_selected", "_selected_action": ticked, "post": "yes"}
    return admin.post(LIST, data, follow=True)


# The list


def test_each_policy_says_what_it_is_and_who_has_it(admin: Client) -> None:
    gold = PolicyFactory(name="gold", reset_interval=5400, recovery="halving", threshold_8=-1000)
    CustomerFactory.create_batch(3, policy=gold)
    text = text_of(admin.get(LIST))
    assert "<bdi>gold</bdi>" in text
    assert "1 h 30 min" in text
    assert "halves with every tenth of the interval" in text
    assert "−2, −4, −6, −8, −10, −12, −14, −1000" in text
    customers = reverse("admin:doc_priority_customer_changelist")
    assert f'href="{customers}?policy={gold.pk}">3</a>' in text


@pytest.mark.plain
def test_whoever_may_not_look_at_customers_gets_no_link_to_them(sign_in: SignIn) -> None:
    CustomerFactory(policy=PolicyFactory())
    text = text_of(sign_in("view_policy").get(LIST))
    assert '<td class="field-holders_count">1</td>' in text
    assert "?policy=" not in text


@pytest.mark.parametrize("policies", [1, 20])
def test_the_list_takes_as_many_queries_for_many(
    admin: Client, policies: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(policies):
        CustomerFactory(policy=PolicyFactory())
    with django_assert_num_queries(5):  # the session, the user, two counts, the policies
        text_of(admin.get(LIST))


def test_is_searched_in_any_case_of_the_letters(admin: Client) -> None:
    PolicyFactory(name="Gold contract")
    PolicyFactory(name="silver")
    text = text_of(admin.get(LIST, {"q": "gOLD"}))
    assert "Gold contract" in text
    assert "silver" not in text


@pytest.mark.parametrize(
    "query",
    [
        "name=%00",
        "name=gold",
        "name__regex=(",
        "threshold_1=x",
        "customers__name=x",
        "nothing=1",
        "q=%00",
        "o=99",
        "o=-x.%00",
        "p=0",
        "p=" + "9" * 30,
        "p=%00",
        "_to_field=%00",
        "_to_field=name",
        "_popup=1",
        "all=%00",
        "e=1",
        "e=1&name=%00",
        "%00=1",
    ],
)
def test_no_query_string_is_an_error_of_ours(admin: Client, query: str) -> None:
    PolicyFactory()
    assert admin.get(f"{LIST}?{query}").status_code in (200, 302, 400)


@pytest.mark.parametrize(
    "query",
    [
        "name=%00",
        "recovery=%00",
        "reset_interval=" + "9" * 5000,
        "threshold_1=(&threshold_2=-9",
        "terms_opened=%00",
        "_changelist_filters=%00",
        "_to_field=%00",
    ],
)
def test_no_query_string_of_a_form_is_an_error_of_ours(admin: Client, query: str) -> None:
    for page in (reverse("admin:doc_priority_policy_add"), address(PolicyFactory(), "change")):
        assert admin.get(f"{page}?{query}").status_code in (200, 302, 400)


def test_an_empty_list_says_what_holds_and_what_to_do(admin: Client) -> None:
    text = text_of(admin.get(LIST))
    assert "All customers are under the default policy" in text
    assert "add a policy here, then choose it on the customer" in text
    assert reverse("admin:doc_priority_rule") in text
    assert "default policy" not in text_of(admin.get(LIST, {"q": "gold"}))


def test_an_empty_list_asks_only_those_who_may_to_add_one(sign_in: SignIn) -> None:
    text = text_of(sign_in("view_policy").get(LIST))
    assert "All customers are under the default policy" in text
    assert "add a policy" not in text


# Permissions


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        ([], {"changelist": 403, "add": 403, "change": 403, "delete": 403, "preview": 403}),
        (
            ["view_policy"],
            {"changelist": 200, "add": 403, "change": 200, "delete": 403, "preview": 403},
        ),
        (
            ["add_policy"],
            {"changelist": 403, "add": 200, "change": 403, "delete": 403, "preview": 200},
        ),
        (
            ["change_policy"],
            {"changelist": 200, "add": 403, "change": 200, "delete": 403, "preview": 200},
        ),
        (
            ["delete_policy"],
            {"changelist": 403, "add": 403, "change": 403, "delete": 200, "preview": 403},
        ),
        (
            ["view_customer", "change_customer", "delete_customer"],
            {"changelist": 403, "add": 403, "change": 403, "delete": 403, "preview": 403},
        ),
    ],
)
def test_each_page_asks_for_its_permission(
    sign_in: SignIn, permissions: list[str], expected: dict[str, int]
) -> None:
    browser = sign_in(*permissions)
    gold = PolicyFactory()
    of_one = {"change", "delete"}
    answers = {
        page: browser.get(
            address(gold, page) if page in of_one else reverse(f"admin:doc_priority_policy_{page}")
        ).status_code
        for page in expected
    }
    assert answers == expected


@pytest.mark.parametrize("page", ["change", "delete"])
def test_without_the_permission_nothing_is_written(sign_in: SignIn, page: str) -> None:
    gold = PolicyFactory(reset_interval=60)
    browser = sign_in("view_policy")
    data = {"reset_interval": 600, "post": "yes"}
    assert browser.post(address(gold, page), data).status_code == 403
    assert delete_ticked(browser, gold).status_code == 200
    assert Policy.objects.get().reset_interval == 60
    assert not Event.objects.exists()


# The end of a policy


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
        (InvalidPolicy("No thresholds."), "No thresholds."),
    ],
)
def test_each_refusal_says_what_to_do(error: DocPriorityError, told: str) -> None:
    assert told in refusals.in_words(error)


def test_another_site_may_show_policies_and_no_customers(rf: RequestFactory) -> None:
    admin = PolicyAdmin(Policy, AdminSite(name="other"))
    assert "holders_count" in admin.get_list_display(rf.get(LIST))
