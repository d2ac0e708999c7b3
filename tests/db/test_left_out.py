"""What a caller leaves out is empty, and what it says of itself is kept word for word."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from doc_priority import services
from doc_priority.models import Customer, Event

pytestmark = pytest.mark.django_db

Call = Callable[..., object]

UNTIL = datetime.now(UTC) + timedelta(days=1)
TERMS: dict[str, Any] = {
    "reset_interval": 60,
    "recovery": "idle",
    "thresholds": [-1, -2, -3, -4, -5, -6, -7, -8],
}
WORDS = {"actor": "ada", "reason": "Their import ran twice", "source": "portal"}

CALLS: dict[str, Call] = {
    "reset": lambda **words: services.reset("acme", **words),
    "reset_many": lambda **words: services.reset_many(["acme"], **words),
    "pin": lambda **words: services.pin("acme", priority=3, until=UNTIL, **words),
    "pin_many": lambda **words: services.pin_many(["acme"], priority=3, until=UNTIL, **words),
    "unpin": lambda **words: services.unpin("acme", **words),
    "unpin_many": lambda **words: services.unpin_many(["acme"], **words),
    "set_policy": lambda **words: services.set_policy("acme", policy="given", **words),
    "change_customer": lambda **words: services.change_customer("acme", policy="given", **words),
    "forget": lambda **words: services.forget("acme", **words),
    "create_policy": lambda **words: services.create_policy("new", **TERMS, **words),
    "change_policy": lambda **words: services.change_policy("given", reset_interval=90, **words),
    "delete_policy": lambda **words: services.delete_policy("spare", **words),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@pytest.fixture(autouse=True)
def a_pinned_customer_and_two_policies() -> None:
    services.check("acme")
    services.pin("acme", priority=2, until=UNTIL)
    for name in ("given", "spare"):
        services.create_policy(name, **TERMS)


def said_in(call: Call, **words: str) -> dict[str, str]:
    """What the event that the call made says of its author."""
    call(**words)
    event = Event.objects.latest("pk")
    return {name: getattr(event, name) for name in WORDS}


@every_call
def test_who_says_nothing_of_itself(call: Call) -> None:
    assert said_in(call) == dict.fromkeys(WORDS, "")


@every_call
def test_who_says_something(call: Call) -> None:
    assert said_in(call, **WORDS) == WORDS


def test_a_customer_needs_no_name() -> None:
    services.check("counted")
    services.create_customer("made")
    names = Customer.objects.filter(key__in=["counted", "made"]).values_list("name", flat=True)
    assert list(names) == ["", ""]
