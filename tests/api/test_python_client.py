"""The Python client that openapi-python-client makes of the description works as it comes."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from doc_priority.api.schema import COPY
from tests.api.conftest import PREFIX, Caller
from tests.server import running_site

PACKAGE = "priorities_client"


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_every_kind_of_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Caller) -> None:
    """The client, made without a word of complaint, reads answers and problems into models."""
    programs = Path(sys.executable).parent
    package = tmp_path / PACKAGE
    command = ("generate", "--path", COPY, "--output-path", package, "--meta", "none")
    made = subprocess.run(
        [programs / "openapi-python-client", *command, "--fail-on-warning"],
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, f"{made.stdout}\n{made.stderr}"
    monkeypatch.syspath_prepend(tmp_path)

    def part(name: str) -> ModuleType:
        return import_module(f"{PACKAGE}.{name}")

    models: Any = part("models")
    with (
        running_site() as address,
        part("client").AuthenticatedClient(
            base_url=address + PREFIX.rstrip("/"),
            token=root.headers["Authorization"].removeprefix("Token "),
            prefix="Token",
            raise_on_unexpected_status=True,
        ) as client,
    ):

        def call(operation: str, *place: str, **options: Any) -> Any:
            return part(f"api.{operation}").sync(*place, client=client, **options)

        body = models.CheckBody(document="INV-2041")
        first = call("customers.check_document", "acme", body=body)
        second = call("customers.check_document", "acme", body=body)
        assert (first.priority, first.repeated, second.repeated) == (1, False, True)
        assert first.decided_at.tzinfo is not None
        assert call("customers.check_document", "acme").pending_documents == -1

        items = [
            models.BulkBodyItemsItem(customer="acme", document="INV-2042"),
            models.BulkBodyItemsItem(customer="birch"),
        ]
        answer = call("checks.check_documents", body=models.BulkBody(items=items))
        assert [decision.customer for decision in answer.decisions] == ["acme", "birch"]

        call("customers.create_customer", body=models.CustomerBody(customer="cedar"))
        ordering = models.ListCustomersOrdering.DESCENDING_CUSTOMER
        page = call("customers.list_customers", limit=2, ordering=ordering)
        cursor = page.next_.partition("cursor=")[2].partition("&")[0]
        last = call("customers.list_customers", limit=2, ordering=ordering, cursor=cursor)
        assert [row.customer for row in (*page.results, *last.results)] == [
            "cedar",
            "birch",
            "acme",
        ]
        assert last.next_ is None

        until = datetime.now(UTC) + timedelta(hours=1)
        reset = call("customers.reset_customer", "acme", body=models.ResetBody(reason="Twice"))
        pin = models.PinBody(priority=2, until=until, reason="Audit")
        pinned = call("customers.pin_customer", "acme", body=pin)
        unpinned = call("customers.unpin_customer", "acme", body=models.ReasonBody(reason="Over"))
        events = call("customers.list_events", "acme")
        assert reset.pending_documents == 0
        assert (pinned.pinned, pinned.priority, unpinned.pinned) == (True, 2, False)
        assert [event.kind.value for event in events.results] == ["unpin", "pin", "reset"]

        policy = models.PolicyBody(
            name="gold / north",
            reset_interval=600,
            recovery=models.PolicyBodyRecovery.HALVING,
            thresholds=list(range(-1, -9, -1)),
        )
        created = call("policies.create_policy", body=policy)
        change = models.PolicyChangeBody(reset_interval=900)
        assert call("policies.change_policy", created.name, body=change).reset_interval == 900
        customer = models.CustomerBody(customer="dill", policy=created.name)
        call("customers.create_customer", body=customer)
        in_use = call("policies.delete_policy", created.name)
        assert (in_use.status, in_use.code) == (409, "policy_in_use")

        missing = call("customers.peek_customer", "nobody")
        refused = call("customers.reset_customer", "acme", body=models.ResetBody(reason=""))
        assert (missing.status, missing.code) == (404, "customer_not_found")
        assert [error.pointer for error in refused.errors] == ["#/reason"]
