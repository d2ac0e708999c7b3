"""Reset, pin and unpin: what they change, and the event that tells of it."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from doc_priority import services
from doc_priority.exceptions import (
    CustomerNotFound,
    EventIsWritten,
)
from doc_priority.models import Counter, Customer, Event
from doc_priority.testing import frozen_time
from doc_priority.types import LAST_MOMENT, Pin, utc_text
from tests.vectors import START

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
MICROSECOND = timedelta(microseconds=1)


@pytest.fixture
def busy():
    """A customer at 7, a moment ago by the database's clock."""
    return services.check_many(["acme"] * 15)[-1]


def test_a_reset_starts_again_at_0_and_is_kept(busy) -> None:
    user = get_user_model().objects.create_user("kim")
    decision = services.reset("acme", actor=user, reason="Their import ran twice", source="admin")
    assert (decision.pending_documents, decision.priority) == (0, 1)
    assert decision.resets_at == decision.decided_at + timedelta(seconds=1500)
    event = Event.objects.get()
    assert (event.customer, event.kind, event.actor, event.source) == (
        "acme",
        "reset",
        "kim",
        "admin",
    )
    assert event.reason == "Their import ran twice"
    assert event.before == {"pending_documents": -14, "priority": 7}
    assert event.after == {"pending_documents": 0, "priority": 1}
    assert event.created_at == decision.decided_at
    assert services.check("acme").pending_documents == -1


def test_many_are_reset_each_once_in_the_order_given() -> None:
    services.check_many(["b", "a", "c", "a"])
    decisions = services.reset_many(["c", "a", "c"], actor="kim", reason="Maintenance", at=START)
    assert [decision.customer for decision in decisions] == ["c", "a"]
    assert Event.objects.filter(kind="reset", actor="kim").count() == 2
    assert services.reset_many([]) == []


def test_all_are_reset_or_none(busy) -> None:
    with pytest.raises(CustomerNotFound, match="'nobody'"):
        services.reset_many(["acme", "nobody"])
    assert services.peek("acme").priority == 7
    assert not Event.objects.exists()


def test_a_pin_holds_until_its_time(busy) -> None:
    until = busy.decided_at + HOUR
    decision = services.pin("acme", priority=2, until=until, actor="kim", reason="Contract")
    assert (decision.priority, decision.pinned, decision.pending_documents) == (2, True, -14)
    assert services.peek("acme", at=until).priority == 1
    event = Event.objects.get()
    assert event.after == {
        "pending_documents": -14,
        "priority": 2,
        "pinned_priority": 2,
        "pinned_until": utc_text(until),
    }


def test_a_pin_outlives_a_reset(busy) -> None:
    services.pin("acme", priority=9, until=busy.decided_at + HOUR)
    assert services.reset("acme").priority == 9


def test_a_customer_that_never_counted_can_be_pinned() -> None:
    Customer.objects.create(key="acme")
    now = services.peek("acme").decided_at
    services.pin("acme", priority=3, until=now + HOUR)
    counter = Counter.objects.get()
    assert (counter.updated_at, counter.recovered_at) == (None, None)
    seen = services.peek("acme")
    assert (seen.pending_documents, seen.priority, seen.resets_at) == (0, 3, None)
    first = services.check("acme")
    assert (first.pending_documents, first.reset, first.priority) == (0, False, 3)


def test_an_unpinned_customer_follows_its_counter_again(busy) -> None:
    """Without a pin there is nothing to take off, and no event tells of it."""
    services.pin("acme", priority=2, until=busy.decided_at + HOUR)
    decision = services.unpin("acme", actor="kim", reason="Contract ended")
    assert (decision.priority, decision.pinned) == (7, False)
    assert services.unpin("acme").priority == 7
    assert list(Event.objects.order_by("id").values_list("kind", flat=True)) == ["pin", "unpin"]


@pytest.mark.parametrize("until", [None, LAST_MOMENT])
def test_a_pin_without_an_end_holds_until_it_is_taken_off(busy, until) -> None:
    decision = services.pin("acme", priority=2, until=until, reason="Contract")
    assert (decision.priority, decision.pinned) == (2, True)
    pinned = {"pinned_priority": 2, "pinned_until": None}
    assert Event.objects.get().after == {"pending_documents": -14, "priority": 2, **pinned}
    long_after = datetime(9997, 12, 31, tzinfo=UTC)
    row = Customer.objects.live(long_after).select_related("counter").get()
    assert (row.priority, row.pinned, row.pinned_until) == (2, True, None)
    assert row.counter.pin == Pin(2, until=None)
    # What processes of version 0.1.0 compare and show as any other end.
    assert row.counter.pinned_until == LAST_MOMENT
    assert services.peek("acme", at=long_after).pinned
    for decision in (services.check("acme", at=long_after), services.check_many(["acme"])[0]):
        assert (decision.priority, decision.pinned) == (2, True)
    services.unpin("acme")
    assert not services.peek("acme").pinned
    assert Event.objects.first().before == {"pending_documents": -1, "priority": 2, **pinned}


@pytest.fixture
def ended(busy):
    """The same customer; its pin to 2 has ended."""
    Counter.objects.update(pinned_priority=2, pinned_until=busy.decided_at)


def test_of_an_ended_pin_nothing_is_said(ended) -> None:
    assert services.unpin("acme").priority == 7
    assert not Event.objects.exists()

    services.pin("acme", priority=4, until=services.peek("acme").decided_at + HOUR)
    pin = Event.objects.get()
    assert pin.before == {"pending_documents": -14, "priority": 7}
    assert pin.after["pinned_priority"] == 4

    Counter.objects.update(pinned_until=services.peek("acme").decided_at)
    assert services.reset("acme").priority == 1
    reset = Event.objects.get(kind="reset")
    assert reset.before == {"pending_documents": -14, "priority": 7}
    assert reset.after == {"pending_documents": 0, "priority": 1}


def test_a_pin_has_ended_from_its_moment_on() -> None:
    for key, left, events in [("in", MICROSECOND, 1), ("over", 0 * MICROSECOND, 0)]:
        services.check(key, at=START)
        Counter.objects.filter(customer=key).update(pinned_priority=2, pinned_until=START + left)
        with frozen_time(START):
            services.unpin(key)
        assert Event.objects.filter(customer=key).count() == events


def test_an_event_stays_as_it_is(busy) -> None:
    services.reset("acme", reason="one")
    event = Event.objects.get()
    event.reason = "another"
    with pytest.raises(EventIsWritten):
        event.save()


def test_whoever_acts_is_told_as_text() -> None:
    class Someone:
        """Who signed in otherwise than with Django's users."""

        def __init__(self, name: object) -> None:
            self.name = name

        def get_username(self) -> object:
            return self.name

    services.check("acme")
    for actor, told in [
        (Someone(7), "7"),
        (Someone("kim\u200e\n"), "kim"),
        (Someone("k" * 300), "k" * 254),
        (7, "7"),
    ]:
        services.reset("acme", actor=actor)
        assert Event.objects.latest("pk").actor == told


def test_who_counts_nothing_decides_on_no_document(busy) -> None:
    for call in (services.peek, services.reset, services.unpin):
        decision = call("acme")
        assert (decision.document, decision.reset, decision.repeated) == ("", False, False)


def test_what_is_left_out_is_empty_and_what_is_said_is_kept_word_for_word(busy) -> None:
    until = busy.decided_at + HOUR
    terms: dict[str, Any] = {
        "reset_interval": 60,
        "recovery": "idle",
        "thresholds": [-1, -2, -3, -4, -5, -6, -7, -8],
    }
    words = {"actor": "ada", "reason": "Their import ran twice", "source": "portal"}
    for given in ({}, words):
        services.check("acme")
        services.pin("acme", priority=2, until=until)
        for name in ("given", "spare"):
            services.create_policy(name, **terms)
        for call in (
            partial(services.reset, "acme"),
            partial(services.reset_many, ["acme"]),
            partial(services.pin, "acme", priority=3, until=until),
            partial(services.pin_many, ["acme"], priority=4, until=until),
            partial(services.unpin, "acme"),
            partial(services.pin_many, ["acme"], priority=5, until=until),
            partial(services.unpin_many, ["acme"]),
            partial(services.set_policy, "acme", policy="given"),
            partial(services.change_customer, "acme", policy="spare"),
            partial(services.forget, "acme"),
            partial(services.create_policy, "new", **terms),
            partial(services.change_policy, "given", reset_interval=90),
            partial(services.delete_policy, "spare"),
        ):
            newest = Event.objects.latest("pk").pk
            call(**given)
            (event,) = Event.objects.filter(pk__gt=newest)
            said = {name: getattr(event, name) for name in words}
            assert said == (given or dict.fromkeys(words, "")), call
        for name in ("given", "new"):
            services.delete_policy(name)
