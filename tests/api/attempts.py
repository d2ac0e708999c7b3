"""Requests that every call must refuse, and how each is to be refused."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from tests.api.bad_inputs import (
    ACCEPTS,
    BODIES,
    JSON,
    KEYS,
    NAMES,
    PARAMETERS,
    QUERIES,
    VALUES,
)
from tests.api.calls import CALLS, WITH_BODY, WITH_KEY, WITH_NAME, Call

FILTERS = {
    "customers": ("priority", "priority_min", "state", "policy", "search", "ordering"),
    "events": ("kind",),
    "documents": ("document",),
    "policies": (),
}
LISTS = tuple(call for call in CALLS if call.method == "GET" and call.route in FILTERS)
REQUIRED = {
    ("POST", "customers"): ("customer",),
    ("POST", "reset"): ("reason",),
    ("PUT", "pin"): ("priority", "until", "reason"),
    ("POST", "checks"): ("items",),
    ("POST", "policies"): ("name", "reset_interval", "recovery", "thresholds"),
}
NO_POLICIES = ("%ff", "%ED%A0%80", "nope", "..", "a%2Fb", "'%20OR%201=1--", "%3Cb%3E")
"""What could be a policy's name, as an address has it, and is none."""

NO_UTF8 = ("%ff", "%ED%A0%80", "%C0%80", "%80a", "a%F0%9F%92")
ENDED_LINES = ("%0A", "gold%0A", "%E2%80%A8%0A")
ANY_FORM = ("docs", "asset")
"""Answered whatever a caller accepts."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request; `says` is part of the message, `at` the beginning of what it points to."""

    called: str
    method: str
    address: str
    body: object = b""
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 400
    says: str = ""
    at: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.address[:80]}: {self.called[:120]}"


def bad_bodies(call: Call) -> Iterator[Attempt]:
    method, address, _ = call.to()
    for name, bad in BODIES.items() if call in WITH_BODY else ():
        yield Attempt(
            name, method, address, bad.body, bad.content_type, bad.headers, bad.status, bad.says
        )


def bad_values(call: Call) -> Iterator[Attempt]:
    method, address, body = call.to()
    for member in body if call in WITH_BODY else ():
        for value in VALUES[member]:
            sent = with_value(call, member, value)
            called = f"{member} {value}"
            yield Attempt(called, method, address, sent, says=member, at=f"#/{member}")


def with_value(call: Call, member: str, value: str) -> bytes:
    """The call's body with this JSON for one of its members."""
    text = json.dumps({**call.body_for("acme"), member: "<here>"})
    return text.replace('"<here>"', value).encode()


def missing_values(call: Call) -> Iterator[Attempt]:
    method, address, body = call.to()
    required = REQUIRED.get((call.method, call.route), ())
    for member in required:
        rest = {name: value for name, value in body.items() if name != member}
        yield Attempt(f"without {member}", method, address, rest, at=f"#/{member}")
    if required:
        yield Attempt("empty", method, address, at="#/")


def unknown_parameters(call: Call) -> Iterator[Attempt]:
    method, address, body = call.to()
    for query in QUERIES:
        yield Attempt(query, method, f"{address}?{query}", body, at="?")


def formats(call: Call) -> Iterator[Attempt]:
    method, address, body = call.to()
    for value in ("json", "xml", "api", "%00"):
        for accept in ("*/*", "application/json, */*"):
            yield Attempt(
                f"format={value}",
                method,
                f"{address}?format={value}",
                body,
                headers={"Accept": accept},
                says="'format' is not known",
                at="?format",
            )


def bad_parameters(call: Call) -> Iterator[Attempt]:
    filters = FILTERS[call.route] if call in LISTS else None
    for parameter in () if filters is None else ("limit", "cursor", *filters):
        for value in PARAMETERS[parameter]:
            query, place = f"{parameter}={value}", f"?{parameter}"
            yield Attempt(query, "GET", f"{call.to()[1]}?{query}", says=place, at=place)


def undecodable_parameters(call: Call) -> Iterator[Attempt]:
    filters = FILTERS[call.route] if call in LISTS else ()
    for parameter in (one for one in filters if one in ("search", "policy", "document")):
        for value in NO_UTF8:
            query = f"{parameter}={value}"
            yield Attempt(query, "GET", f"{call.to()[1]}?{query}", says="not UTF-8", at="?")


def bad_keys(call: Call) -> Iterator[Attempt]:
    for key in KEYS if call in WITH_KEY else ():
        address = call.address.replace("{key}", key)
        yield Attempt(key, call.method, address, call.to()[2], at="{key}")


def bad_names(call: Call) -> Iterator[Attempt]:
    for names, status, at in (
        (NAMES, 400, "{name}"),
        (NO_POLICIES, 404, "{name}"),
        (ENDED_LINES, 404, ""),
    ):
        for name in names if call in WITH_NAME else ():
            address = call.address.replace("{name}", name)
            yield Attempt(name, call.method, address, call.to()[2], status=status, at=at)


def other_forms(call: Call) -> Iterator[Attempt]:
    for accept in () if call.route in ANY_FORM else ACCEPTS:
        yield Attempt(accept, *call.to(), headers={"Accept": accept}, status=406)


Kind = Callable[[Call], Iterator[Attempt]]

KINDS: tuple[Kind, ...] = (
    bad_bodies,
    bad_values,
    missing_values,
    unknown_parameters,
    formats,
    bad_parameters,
    undecodable_parameters,
    bad_keys,
    bad_names,
    other_forms,
)


def attempts(call: Call) -> Iterator[Attempt]:
    """All of them that this call can be asked."""
    return chain.from_iterable(kind(call) for kind in KINDS)
