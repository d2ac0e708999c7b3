"""Two customers alike, of which API_CUSTOMERS gives away one."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from doc_priority.models import Customer
from tests.api.calls import CALLS, WITH_KEY, Call
from tests.api.conftest import Caller
from tests.factories import (
    CounterFactory,
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
)
from tests.stored import everything_stored

OWN, FOREIGN, MISSING = "own-acme", "foreign-birch", "missing-birch"
OF_ONE_CUSTOMER = (*WITH_KEY, *(call for call in CALLS if call.route == "checks"))
MAKING = tuple(call for call in CALLS if (call.method, call.route) == ("POST", "customers"))


def own_customers(user: User) -> QuerySet[Customer]:
    return Customer.objects.filter(key__startswith="own-")


REACH = {"API_CUSTOMERS": f"{__name__}.own_customers"}


def make_two_customers() -> None:
    """One within reach and one out of it, alike in everything but their keys; and a policy."""
    PolicyFactory(name="gold")
    for key in (OWN, FOREIGN):
        customer = CustomerFactory(key=key)
        CounterFactory(customer=customer, pending_documents=-13, pinned=True)
        DocumentDecisionFactory(customer=customer)
        EventFactory(customer=key)


def new_or_own(call: Call) -> str:
    return "own-new" if call in MAKING else OWN


def refused(caller: Caller, request: tuple[str, str, Any], status: int) -> Any:
    """The answer to a call that is refused and leaves everything as it is."""
    before = everything_stored()
    response = caller.request(*request)
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    assert everything_stored() == before
    return response


def answered(caller: Caller, request: tuple[str, str, Any], status: int) -> Any:
    """The answer to a call that is not refused; reading changes nothing."""
    before = everything_stored()
    response = caller.request(*request)
    assert response.status_code == status, response.content
    assert request[0] != "GET" or everything_stored() == before
    return response
