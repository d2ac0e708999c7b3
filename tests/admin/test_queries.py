"""Pages take as many queries for many rows as for few."""

import pytest
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from doc_priority.admin import CustomerAdmin
from doc_priority.models import Customer, Policy
from tests.admin.conftest import CUSTOMERS, LIST, PREVIEW, STEPS, SignIn, change_of, typed
from tests.admin.customers import at_priority, at_rest
from tests.factories import DocumentDecisionFactory, EventFactory, PolicyFactory

pytestmark = pytest.mark.django_db

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
