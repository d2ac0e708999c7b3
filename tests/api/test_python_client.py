"""The Python client that openapi-python-client makes of the description works as it comes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from knox.models import AuthToken

from doc_priority.api.openapi.document import COPY
from tests.api.conftest import PREFIX, UserOf
from tests.server import running_site

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

PACKAGE = "priorities_client"
PROGRAMS = Path(sys.executable).parent

Part = Callable[[str], ModuleType]
"""A module of the client."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, made without a word of complaint."""
    folder = tmp_path_factory.mktemp("client")
    package = folder / PACKAGE
    command = ("generate", "--path", COPY, "--output-path", package, "--meta", "none")
    done = subprocess.run(
        [PROGRAMS / "openapi-python-client", *command, "--fail-on-warning"],
        env={**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.strip() == f"Generating {package}"
    return folder


@pytest.fixture
def part(made: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Part]:
    monkeypatch.syspath_prepend(made)
    yield lambda name: import_module(f"{PACKAGE}.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def models(part: Part) -> Any:
    return part("models")


@pytest.fixture
def client(part: Part, user_of: UserOf) -> Iterator[Any]:
    """A client of the running server with the token of somebody who may do everything."""
    _, token = AuthToken.objects.create(user_of("superuser"))
    strict = partial(part("client").AuthenticatedClient, raise_on_unexpected_status=True)
    with (
        running_site() as address,
        strict(base_url=address + PREFIX.rstrip("/"), token=token, prefix="Token") as client,
    ):
        yield client


@pytest.fixture
def call(part: Part, client: Any) -> Callable[..., Any]:
    """Call an operation by its name: what it answers, read into a model."""

    def answer(operation: str, *place: str, **options: Any) -> Any:
        return part(f"api.{operation}").sync(*place, client=client, **options)

    return answer


def test_documents_are_counted_once(call: Callable[..., Any], models: Any) -> None:
    body = models.CheckBody(document="INV-2041")

    first, second = (call("customers.check_document", "acme", body=body) for _ in range(2))

    assert (first.priority, first.repeated, second.repeated) == (1, False, True)
    assert first.decided_at.tzinfo is not None
    assert call("customers.check_document", "acme").pending_documents == -1


def test_many_documents_at_once(call: Callable[..., Any], models: Any) -> None:
    items = [
        models.BulkBodyItemsItem(customer="acme", document="INV-2041"),
        models.BulkBodyItemsItem(customer="birch"),
    ]

    answer = call("checks.check_documents", body=models.BulkBody(items=items))

    assert [decision.customer for decision in answer.decisions] == ["acme", "birch"]


def test_the_live_list_comes_in_pages(call: Callable[..., Any], models: Any) -> None:
    for key in ("acme", "birch", "cedar"):
        call("customers.create_customer", body=models.CustomerBody(customer=key))
    ordering = models.ListCustomersOrdering.DESCENDING_CUSTOMER

    first = call("customers.list_customers", limit=2, ordering=ordering)
    cursor = first.next_.partition("cursor=")[2].partition("&")[0]
    second = call("customers.list_customers", limit=2, ordering=ordering, cursor=cursor)

    assert [row.customer for row in first.results] == ["cedar", "birch"]
    assert [row.customer for row in second.results] == ["acme"]
    assert second.next_ is None


def test_a_customer_is_put_right_by_hand(call: Callable[..., Any], models: Any) -> None:
    for _ in range(8):
        call("customers.check_document", "acme")
    until = datetime.now(UTC) + timedelta(hours=1)

    reset = call("customers.reset_customer", "acme", body=models.ResetBody(reason="Ran twice"))
    pin = models.PinBody(priority=2, until=until, reason="Audit")
    pinned = call("customers.pin_customer", "acme", body=pin)
    unpinned = call("customers.unpin_customer", "acme", body=models.ReasonBody(reason="Over"))
    events = call("customers.list_events", "acme")

    assert reset.pending_documents == 0
    assert (pinned.pinned, pinned.priority) == (True, 2)
    assert not unpinned.pinned
    assert [event.kind.value for event in events.results] == ["unpin", "pin", "reset"]


def test_policies(call: Callable[..., Any], models: Any) -> None:
    policy = models.PolicyBody(
        name="gold / north",
        reset_interval=600,
        recovery=models.PolicyBodyRecovery.HALVING,
        thresholds=list(range(-1, -9, -1)),
    )

    made = call("policies.create_policy", body=policy)
    change = models.PolicyChangeBody(reset_interval=900)
    changed = call("policies.change_policy", made.name, body=change)
    customer = models.CustomerBody(customer="acme", policy=made.name)
    call("customers.create_customer", body=customer)
    in_use = call("policies.delete_policy", made.name)

    assert changed.reset_interval == 900
    assert (in_use.status, in_use.code) == (409, "policy_in_use")


def test_a_problem_is_read_like_an_answer(call: Callable[..., Any], models: Any) -> None:
    missing = call("customers.peek_customer", "nobody")
    refused = call("customers.reset_customer", "acme", body=models.ResetBody(reason=""))

    assert (missing.status, missing.code) == (404, "customer_not_found")
    assert [error.pointer for error in refused.errors] == ["#/reason"]
