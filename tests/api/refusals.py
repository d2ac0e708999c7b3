"""How the API refuses: with a document that helps, and without doing anything."""

import json
import re
from collections.abc import Iterable
from typing import Any

from tests.api.attempts import Attempt
from tests.api.conftest import Caller
from tests.factories import (
    CounterFactory,
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
)
from tests.stored import everything_stored

MEMBERS = {"type", "title", "status", "detail", "code", "errors"}
has_remedy = re.compile(
    r"\b(use|give|leave|choose|write|split|say|take|create|begin again|encode|pin until"
    r"|from -?\d+|at most|list of|must be|between|not an object|known are|there is none"
    r"|missing|cannot be null|a datetime with a time zone)\b"
).search


def make_acme() -> None:
    """A customer with everything a customer can have, and a policy."""
    PolicyFactory(name="gold")
    customer = CustomerFactory(key="acme")
    CounterFactory(customer=customer, pending_documents=-13, pinned=True)
    DocumentDecisionFactory(customer=customer)
    EventFactory(customer="acme")


class Refusals:
    """Sends what must be refused, and keeps an account of what was not, or not well."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.before = everything_stored()
        self.sent = 0
        self.faults: list[str] = []

    def attempt(self, one: Attempt) -> None:
        response = self.caller.request(
            one.method,
            one.address,
            one.body,
            content_type=one.content_type,
            headers=one.headers,
        )
        self.expect(str(one), response, [one.status], says=one.says, at=one.at)

    def expect(
        self, called: str, response: Any, status: Iterable[int], *, says: str = "", at: str = ""
    ) -> None:
        self.sent += 1
        fault = _fault_of(response, set(status), says=says, at=at)
        if fault:
            self.faults.append(f"{called[:300]}: {fault}\n    {response.content[:400]!r}")

    def check(self) -> None:
        assert self.sent
        assert not self.faults, "\n".join(self.faults)
        assert self.did_nothing

    @property
    def did_nothing(self) -> bool:
        """Everything is stored as it was before."""
        return everything_stored() == self.before


def _fault_of(response: Any, status: set[int], *, says: str, at: str) -> str:
    if response.status_code not in status:
        return f"{response.status_code}, not {status}"
    if response["Content-Type"] != "application/problem+json":
        return response["Content-Type"]
    problem = json.loads(response.content.decode("utf-8"))
    if set(problem) != MEMBERS or problem["status"] != response.status_code:
        return "no problem document"
    if len(response.content) > 20_000:
        return f"{len(response.content)} bytes"
    if says not in problem["detail"]:
        return f"does not say {says!r}"
    return _fault_of_errors(problem["errors"], at) if at else ""


def _fault_of_errors(errors: list[dict[str, str]], at: str) -> str:
    """What is missing in the account of a wrong value at this place or below."""
    if not all(set(error) == {"pointer", "code", "detail"} for error in errors):
        return "errors of another form"
    here = [error for error in errors if error["pointer"].startswith(at)]
    if not here:
        return f"no error at {at}"
    return "" if any(has_remedy(error["detail"]) for error in here) else "no remedy"
