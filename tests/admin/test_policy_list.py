"""The list of policies: who has them, what is found, and what it says when there are none."""

import pytest
from django.contrib.admin import AdminSite
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from doc_priority.admin.policies import PolicyAdmin
from doc_priority.models import Policy
from tests.admin.policy_pages import LIST, address, text_of
from tests.factories import CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db


def test_each_policy_says_what_it_is_and_who_has_it(admin: Client) -> None:
    gold = PolicyFactory(name="gold", reset_interval=5400, recovery="halving", threshold_8=-1000)
    CustomerFactory.create_batch(3, policy=gold)
    text = text_of(admin.get(LIST))
    assert "<bdi>gold</bdi>" in text
    assert "1 h 30 min" in text
    assert "halves with every tenth of the interval" in text
    assert "−2, −4, −6, −8, −10, −12, −14, −1,000" in text
    customers = reverse("admin:doc_priority_customer_changelist")
    assert f'href="{customers}?policy={gold.pk}">3</a>' in text


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


def test_another_site_may_show_policies_and_no_customers(rf: RequestFactory) -> None:
    admin = PolicyAdmin(Policy, AdminSite(name="other"))
    assert "holders_count" in admin.get_list_display(rf.get(LIST))
