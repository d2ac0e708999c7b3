"""Whose customers somebody reaches; the others answer as if there were none."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from django.test import override_settings

from doc_priority.models import Customer, Policy
from doc_priority.services import check, peek
from tests.api.calls import CALLS, Call
from tests.api.conftest import Caller
from tests.api.reach import (
    FOREIGN,
    MISSING,
    OF_ONE_CUSTOMER,
    OWN,
    REACH,
    answered,
    make_two_customers,
    new_or_own,
    own_customers,
    refused,
)
from tests.factories import CustomerFactory
from tests.stored import everything_stored


@pytest.fixture(autouse=True)
def two_customers(db: None) -> Iterator[None]:
    make_two_customers()
    with override_settings(DOC_PRIORITY=REACH):
        yield


@pytest.mark.parametrize("call", OF_ONE_CUSTOMER, ids=str)
def test_a_foreign_customer_answers_as_a_missing_one(root: Caller, call: Call) -> None:
    assert_alike(refused(root, call.to(key=FOREIGN), 404), refused(root, call.to(key=MISSING), 404))


def assert_alike(foreign: Any, missing: Any) -> None:
    """The same, byte for byte, but for the key itself."""
    assert foreign.content.replace(b"foreign", b"missing") == missing.content
    assert foreign.status_code == missing.status_code
    assert dict(foreign.headers) == dict(missing.headers)


@pytest.mark.parametrize(
    "body",
    [{}, {"name": "N"}, {"policy": "gold"}, {"policy": None}, {"policy": "no such policy"}],
    ids=str,
)
def test_nobody_learns_by_making_a_customer_whether_it_is_there(
    root: Caller, body: dict[str, Any]
) -> None:
    status = 404 if body.get("policy") == "no such policy" else 403
    foreign, missing = (
        refused(root, ("POST", "customers/", {"customer": key, **body}), status)
        for key in (FOREIGN, MISSING)
    )

    assert_alike(foreign, missing)


@pytest.mark.parametrize(
    ("method", "address", "body"),
    [
        ("PATCH", "customers/{}/", {"policy": "no such policy"}),
        ("PATCH", "customers/{}/", {}),
        ("DELETE", "customers/{}/", {}),
        ("POST", "customers/{}/check/", {}),
        (
            "PUT",
            "customers/{}/pin/",
            {"priority": 1, "until": "2001-01-01T00:00:00Z", "reason": "r"},
        ),
        ("DELETE", "customers/{}/pin/", {}),
    ],
)
def test_nobody_learns_from_another_fault(
    root: Caller, method: str, address: str, body: dict[str, Any]
) -> None:
    foreign, missing = (
        refused(root, (method, address.format(key), body), 404) for key in (FOREIGN, MISSING)
    )

    assert_alike(foreign, missing)


def test_nobody_learns_from_an_etag(root: Caller) -> None:
    response = root.get(f"customers/{FOREIGN}/", headers={"If-None-Match": "*"})

    assert response.status_code == 404
    assert "ETag" not in response


@pytest.mark.parametrize("other", [FOREIGN, MISSING])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_bulk_call_with_one_such_customer_counts_nothing(
    root: Caller, other: str, place: int
) -> None:
    keys = [OWN, OWN]
    keys.insert(place, other)
    items = [{"customer": key} for key in keys]

    response = refused(root, ("POST", "checks/", {"items": items}), 404)

    assert other in response.json()["detail"]
    assert OWN not in response.json()["detail"]


def keys_of(response: Any) -> set[str]:
    assert response.status_code == 200, response.content
    return {row["customer"] for row in response.json()["results"]}


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?search=birch",
        "?search=-",
        "?priority_min=1",
        "?state=pinned",
        "?policy=gold",
        *(f"?ordering={order}" for order in ("-customer", "name", "-priority", "updated_at")),
    ],
)
def test_the_list_leaves_others_customers_out(root: Caller, query: str) -> None:
    Customer.objects.update(policy=Policy.objects.get())

    assert keys_of(root.get(f"customers/{query}")) == (set() if "birch" in query else {OWN})


def test_pages_leave_others_customers_out(root: Caller) -> None:
    CustomerFactory(key="own-zebra")

    first = root.get("customers/?limit=1").json()
    second = root.get(first["next"].partition("/api/v1/")[2]).json()

    assert [row["customer"] for row in first["results"] + second["results"]] == [OWN, "own-zebra"]
    assert second["next"] is None


def test_stats_leave_others_customers_out(root: Caller) -> None:
    stats = root.get("stats/").json()

    assert (stats["customers"], stats["pinned"], sum(stats["priorities"].values())) == (1, 1, 1)


def test_a_policys_customers_are_not_told_apart(root: Caller) -> None:
    """Deleting a policy that others' customers have is refused without naming one of them."""
    Customer.objects.filter(key=FOREIGN).update(policy=Policy.objects.get())

    response = refused(root, ("DELETE", "policies/gold/", b""), 409)

    assert FOREIGN not in response.content.decode()


def test_a_customer_within_reach_is_made(root: Caller) -> None:
    response = answered(root, ("POST", "customers/", {"customer": "own-new"}), 201)

    assert response["Location"].endswith("/api/v1/customers/own-new/")
    assert peek("own-new").pending_documents == 0


@pytest.mark.parametrize("document", [{}, {"document": "d"}])
def test_with_a_reach_a_check_makes_no_customer(root: Caller, document: dict[str, str]) -> None:
    refused(root, ("POST", "customers/own-new/check/", document), 404)
    refused(root, ("POST", "checks/", {"items": [{"customer": "own-new", **document}]}), 404)


@override_settings(DOC_PRIORITY={})
def test_without_a_reach_every_customer_is_there(root: Caller) -> None:
    assert keys_of(root.get("customers/")) == {OWN, FOREIGN}
    assert root.get(f"customers/{FOREIGN}/").status_code == 200
    assert root.get("stats/").json()["customers"] == 2


CHECKS_OF_NEW = (
    ("POST", "customers/new/check/", {}),
    ("POST", "checks/", {"items": [{"customer": "new"}, {"customer": OWN}]}),
)


@pytest.mark.parametrize("request_", CHECKS_OF_NEW, ids=["check", "checks"])
def test_without_a_reach_a_check_makes_a_customer(root: Caller, request_: Any) -> None:
    with override_settings(DOC_PRIORITY={}):
        answered(root, request_, 200)

    assert check("new").pending_documents == -1


@pytest.mark.parametrize("request_", CHECKS_OF_NEW, ids=["check", "checks"])
def test_a_check_makes_no_customer_where_the_portal_makes_them(root: Caller, request_: Any) -> None:
    with override_settings(DOC_PRIORITY={"CREATE_CUSTOMERS": False}):
        response = refused(root, request_, 404)

    assert response.json()["code"] == "customer_not_found"


def no_queryset(user: User) -> None:
    return None


def a_list(user: User) -> Iterable[Customer]:
    return list(Customer.objects.all())


def an_empty_list(user: User) -> Iterable[Customer]:
    return []


def other_rows(user: User) -> QuerySet[Policy]:
    return Policy.objects.all()


def a_manager(user: User) -> Any:
    return Customer.objects


OF_CUSTOMERS = tuple(
    call for call in CALLS if call in OF_ONE_CUSTOMER or call.route in ("customers", "stats")
)


def a_slice(user: User) -> QuerySet[Customer]:
    return Customer.objects.order_by("key")[:1]


def a_union(user: User) -> QuerySet[Customer]:
    return own_customers(user).union(Customer.objects.filter(key__startswith="foreign-"))


def the_first_of_each_name(user: User) -> QuerySet[Customer]:
    return Customer.objects.order_by("name").distinct("name")


NO_REACHES = (
    *(no_queryset, a_list, an_empty_list, other_rows, a_manager),
    *(a_slice, a_union, the_first_of_each_name),
)


@pytest.mark.parametrize("reach", NO_REACHES)
def test_a_reach_that_is_no_queryset_of_customers_is_an_error(root: Caller, reach: Any) -> None:
    path = f"{__name__}.{reach.__name__}"
    before = everything_stored()

    for call in OF_CUSTOMERS:
        with (
            override_settings(DOC_PRIORITY={"API_CUSTOMERS": path}),
            pytest.raises(ImproperlyConfigured, match="API_CUSTOMERS"),
        ):
            root.request(*call.to(key=new_or_own(call)))

    assert everything_stored() == before
