"""Nobody leaves the reach of whoever changes them, and nobody comes back into being."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet

from doc_priority import services
from doc_priority.exceptions import CustomerNotFound, CustomerOutOfReach
from doc_priority.models import Customer
from tests.api.conftest import Caller
from tests.api.problems import assert_problem
from tests.factories import CustomerFactory, PolicyFactory
from tests.stored import everything_stored

pytestmark = pytest.mark.django_db


def of_gold(user: User) -> QuerySet[Customer]:
    return Customer.objects.filter(policy__name="gold")


def with_duplicates(user: User) -> QuerySet[Customer]:
    return Customer.objects.filter(documents__document__startswith="INV")


def test_a_change_that_would_lose_the_customer_is_refused(root: Caller, settings: Any) -> None:
    CustomerFactory(key="acme", name="Acme", policy=PolicyFactory(name="gold"))
    settings.DOC_PRIORITY = {"API_CUSTOMERS": f"{__name__}.of_gold"}
    before = everything_stored()

    answer = root.patch("customers/acme/", {"name": "Acme & Sons", "policy": None})

    assert_problem(answer, 403, "customer_out_of_reach")
    changed = {**before, "Counter": everything_stored()["Counter"]}
    assert everything_stored() == changed
    assert root.patch("customers/acme/", {"name": "Acme & Sons"}).status_code == 200


def test_a_customer_that_is_reached_twice_comes_once(root: Caller, settings: Any) -> None:
    for document in ("INV-1", "INV-2"):
        services.check("acme", document=document)
    settings.DOC_PRIORITY = {"API_CUSTOMERS": f"{__name__}.with_duplicates"}

    assert len(root.get("customers/").json()["results"]) == 1
    assert root.get("stats/").json()["customers"] == 1


def test_a_service_makes_nobody_who_must_exist() -> None:
    for call in (
        lambda: services.check("acme", must_exist=True),
        lambda: services.check("acme", document="INV-1", must_exist=True),
        lambda: services.check_many(["acme"], must_exist=True),
        lambda: services.check_many([("acme", "INV-1")], must_exist=True),
    ):
        with pytest.raises(CustomerNotFound, match="'acme'"):
            call()
    assert not Customer.objects.exists()


def test_a_service_changes_nobody_out_of_reach() -> None:
    CustomerFactory(key="acme", name="Acme")
    with pytest.raises(CustomerOutOfReach, match="'acme'"):
        services.change_customer("acme", name="Other", among=Customer.objects.none())
    assert Customer.objects.get().name == "Acme"
