"""Callers of the API, each with a token, and what many of the tests ask of an answer."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partialmethod
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.test import Client
from knox.models import AuthToken

from doc_priority.api.languages import title_of
from doc_priority.testing import FrozenTime, frozen_time
from tests.factories import CounterFactory, CustomerFactory, DocumentDecisionFactory, EventFactory

PREFIX = "/api/v1/"
MORNING = datetime(2030, 1, 31, 9, 41, 0, 123456, tzinfo=UTC)
PERMISSIONS = {
    "nobody": (),
    "viewer": ("view_customer", "view_policy"),
    "submitter": ("check_customer",),
    "support": ("view_customer", "view_policy", "reset_customer", "pin_customer"),
    "policy admin": ("view_policy", "add_policy", "change_policy", "delete_policy"),
    "superuser": (),
}
"""What each role may do; all of them are signed in."""

COLUMNS = ("customer", "name", "priority", "pending_documents", "updated_at", "resets_at")
ORDERINGS = [f"{sign}{column}" for column in COLUMNS for sign in ("", "-")]
"""Of the live list."""

CHANGE = {"name": "New", "policy": "gold", "reason": "r"}
PIN = {"priority": 2, "until": "2100-01-01T00:00:00Z", "reason": "r"}
TERMS = {
    "reset_interval": 600,
    "recovery": "halving",
    "thresholds": [-10, -11, -12, -13, -14, -15, -16, -17],
}


class Call(NamedTuple):
    """{key} stands for a customer's key, {name} for a policy's name.

    It needs a permission, or "" to be signed in, or None, which is nothing.
    """

    method: str
    address: str
    needs: str | None
    body: Any = None
    status: int = 200

    def __str__(self) -> str:
        return f"{self.method} {self.address}"

    def to(self, *, key: str = "acme", name: str = "gold") -> tuple[str, str, Any]:
        """Method, address and body of the call for this customer and this policy."""
        text = json.dumps(self.body).replace("{key}", key)
        body = b"" if self.body is None else json.loads(text)
        return self.method, self.address.format(key=key, name=name), body


CALLS = (
    Call("GET", "customers/", "view_customer"),
    Call("POST", "customers/", "add_customer", {"customer": "{key}", "name": "N"}, 201),
    Call("GET", "customers/{key}/", "view_customer"),
    Call("PATCH", "customers/{key}/", "change_customer", CHANGE),
    Call("DELETE", "customers/{key}/", "delete_customer", {"reason": "r"}, 204),
    Call("POST", "customers/{key}/check/", "check_customer", {"document": "new"}),
    Call("POST", "customers/{key}/reset/", "reset_customer", {"reason": "r"}),
    Call("PUT", "customers/{key}/pin/", "pin_customer", PIN),
    Call("DELETE", "customers/{key}/pin/", "pin_customer", {"reason": "r"}),
    Call("GET", "customers/{key}/events/", "view_customer"),
    Call("GET", "customers/{key}/documents/", "view_customer"),
    Call("POST", "checks/", "check_customer", {"items": [{"customer": "{key}", "document": "d"}]}),
    Call("GET", "policies/", "view_policy"),
    Call("POST", "policies/", "add_policy", {"name": "new", "reason": "r", **TERMS}, 201),
    Call("GET", "policies/{name}/", "view_policy"),
    Call("PATCH", "policies/{name}/", "change_policy", {"reason": "r", **TERMS}),
    Call("DELETE", "policies/{name}/", "delete_policy", {"reason": "r"}, 204),
    Call("GET", "stats/", "view_customer"),
    Call("GET", "schema/", ""),
    Call("GET", "docs/", ""),
    Call("GET", "docs/docs.js", None),
)


class Caller:
    """Asks for addresses below the API's prefix; a body of bytes is sent as it is, others as JSON.

    What nobody foresaw is raised, not answered with 500.
    """

    def __init__(self, user: User | None = None, *, client: Client | None = None) -> None:
        self.user = user
        self.headers = {}
        if user:
            self.headers["Authorization"] = f"Token {AuthToken.objects.create(user)[1]}"
        self.client = client or Client()

    def request(
        self,
        method: str,
        address: str,
        body: object = b"",
        *,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        return self.client.generic(
            method,
            PREFIX + address.removeprefix(f"http://testserver{PREFIX}"),
            body if isinstance(body, bytes) else json.dumps(body).encode(),
            content_type=content_type,
            headers={**self.headers, **(headers or {})},
        )

    get = partialmethod(request, "GET")
    post = partialmethod(request, "POST")
    put = partialmethod(request, "PUT")
    patch = partialmethod(request, "PATCH")
    delete = partialmethod(request, "DELETE")


@pytest.fixture
def clock(db: None) -> Iterator[FrozenTime]:
    """A clock that stands still in the morning."""
    with frozen_time(MORNING) as frozen:
        yield frozen


def make_customer(key: str) -> None:
    """One with everything a customer can have."""
    customer = CustomerFactory(key=key)
    CounterFactory(customer=customer, pending_documents=-13, pinned=True)
    DocumentDecisionFactory(customer=customer)
    EventFactory(customer=key)


@pytest.fixture
def caller_as(db: None) -> Callable[[str], Caller]:
    """A caller with this role and a token."""

    def caller(role: str) -> Caller:
        user, _ = User.objects.get_or_create(username=role, is_superuser=role == "superuser")
        ours = Permission.objects.filter(content_type__app_label="doc_priority")
        user.user_permissions.set(ours.filter(codename__in=PERMISSIONS[role]))
        return Caller(user)

    return caller


@pytest.fixture
def root(caller_as: Callable[[str], Caller]) -> Caller:
    """Somebody who may do everything."""
    return caller_as("superuser")


@pytest.fixture
def reach(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the portal say with this function whom a user reaches; and set what else is said."""

    def use(function: Callable[[Any], Any], **others: Any) -> None:
        monkeypatch.setattr(f"{__name__}.api_customers", function, raising=False)
        settings.DOC_PRIORITY = {"API_CUSTOMERS": f"{__name__}.api_customers", **others}

    return use


@contextmanager
def undone() -> Iterator[None]:
    """What the block writes is taken back at its end, for the next case of a table."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def assert_problem(
    answer: Any, status: int, code: str, *, at: list[str] | None = None
) -> dict[str, Any]:
    """It is a problem as RFC 9457 has it, with our members, and with errors at these places."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = json.loads(answer.content)
    assert list(problem) == ["type", "title", "status", "detail", "code", "errors"]
    assert (problem["type"], problem["title"]) == ("about:blank", title_of(status))
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["detail"].endswith((".", ".)"))
    for error in problem["errors"]:
        assert list(error) == ["pointer", "code", "detail"]
    assert at is None or [error["pointer"] for error in problem["errors"]] == at
    return problem


def pages(
    caller: Caller, link: str, *, way: str = "next", between: Callable[[], object] = bool
) -> Iterator[dict[str, Any]]:
    """This page and all that come this way; something may happen between them."""
    while True:
        answer = caller.get(link)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        assert page.keys() == {"next", "previous", "results"}
        yield page
        link = page[way]
        if link is None:
            return
        between()


def rows_of(caller: Caller, link: str) -> list[dict[str, Any]]:
    """All rows, from this page on."""
    return [row for page in pages(caller, link) for row in page["results"]]
