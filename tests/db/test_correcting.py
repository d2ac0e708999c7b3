"""Reset, pin and unpin: what they change, and the event that tells of it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model

from doc_priority import services
from doc_priority.exceptions import (
    CustomerNotFound,
    EventIsWritten,
    InvalidInput,
    InvalidPin,
    InvalidText,
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


def test_a_reset_starts_again_at_0_and_is_kept(busy):
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


def test_many_are_reset_each_once_in_the_order_given():
    services.check_many(["b", "a", "c", "a"])
    decisions = services.reset_many(["c", "a", "c"], actor="kim", reason="Maintenance", at=START)
    assert [decision.customer for decision in decisions] == ["c", "a"]
    assert Event.objects.filter(kind="reset", actor="kim").count() == 2
    assert services.reset_many([]) == []


def test_all_are_reset_or_none(busy):
    with pytest.raises(CustomerNotFound, match="'nobody'"):
        services.reset_many(["acme", "nobody"])
    assert services.peek("acme").priority == 7
    assert not Event.objects.exists()


def test_a_list_is_asked_for():
    with pytest.raises(InvalidInput, match="'acme'"):
        services.reset_many("acme")


def test_a_pin_holds_until_its_time(busy):
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


def test_a_pin_outlives_a_reset(busy):
    services.pin("acme", priority=9, until=busy.decided_at + HOUR)
    assert services.reset("acme").priority == 9


def test_a_customer_that_never_counted_can_be_pinned():
    Customer.objects.create(key="acme")
    now = services.peek("acme").decided_at
    services.pin("acme", priority=3, until=now + HOUR)
    counter = Counter.objects.get()
    assert (counter.updated_at, counter.recovered_at) == (None, None)
    seen = services.peek("acme")
    assert (seen.pending_documents, seen.priority, seen.resets_at) == (0, 3, None)
    first = services.check("acme")
    assert (first.pending_documents, first.reset, first.priority) == (0, False, 3)


def test_an_unpinned_customer_follows_its_counter_again(busy):
    services.pin("acme", priority=2, until=busy.decided_at + HOUR)
    decision = services.unpin("acme", actor="kim", reason="Contract ended")
    assert (decision.priority, decision.pinned) == (7, False)
    assert list(Event.objects.order_by("id").values_list("kind", flat=True)) == ["pin", "unpin"]


def test_without_a_pin_there_is_nothing_to_take_off(busy):
    assert services.unpin("acme").priority == 7
    assert not Event.objects.exists()


@pytest.mark.parametrize("until", [None, LAST_MOMENT])
def test_a_pin_without_an_end_holds_until_it_is_taken_off(busy, until):
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


def test_whether_a_pin_ends_is_said(busy):
    with pytest.raises(TypeError, match="until"):
        services.pin("acme", priority=2)


@pytest.fixture
def ended(busy):
    """The same customer; its pin to 2 has ended."""
    Counter.objects.update(pinned_priority=2, pinned_until=busy.decided_at)


def test_of_an_ended_pin_a_reset_says_nothing(ended):
    assert services.reset("acme").priority == 1
    event = Event.objects.get()
    assert event.before == {"pending_documents": -14, "priority": 7}
    assert event.after == {"pending_documents": 0, "priority": 1}


def test_a_pin_after_an_ended_one_begins_without_it(ended):
    services.pin("acme", priority=4, until=services.peek("acme").decided_at + HOUR)
    event = Event.objects.get()
    assert event.before == {"pending_documents": -14, "priority": 7}
    assert event.after["pinned_priority"] == 4


def test_there_is_nothing_to_take_off_once_a_pin_has_ended(ended):
    assert services.unpin("acme").priority == 7
    assert not Event.objects.exists()


@pytest.mark.parametrize(("left", "events"), [(MICROSECOND, 1), (0 * MICROSECOND, 0)])
def test_a_pin_has_ended_from_its_moment_on(left, events):
    services.check("acme", at=START)
    Counter.objects.update(pinned_priority=2, pinned_until=START + left)
    with frozen_time(START):
        services.unpin("acme")
    assert Event.objects.count() == events


@pytest.mark.parametrize("priority", [0, 10, -1, True, 1.0, "1", None])
def test_a_pin_has_a_priority_from_1_to_9(busy, priority):
    with pytest.raises(InvalidPin, match=f"priority {priority!r}.* 1 to 9"):
        services.pin("acme", priority=priority, until=busy.decided_at + HOUR)
    assert Counter.objects.get().pinned_priority is None


def test_a_pin_ends_in_the_future(busy):
    past = services.peek("acme").decided_at
    with pytest.raises(InvalidPin, match="has passed; pin until a later time"):
        services.pin("acme", priority=1, until=past)
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    "words",
    [
        {"reason": "x" * 501},
        {"reason": "a\x00b"},
        {"reason": "a\u202eb"},
        {"reason": None},
        {"actor": "a\u202eb"},
        {"source": "\ud800"},
    ],
)
def test_words_that_cannot_be_kept_are_refused(busy, words):
    with pytest.raises(InvalidText, match=next(iter(words))):
        services.reset("acme", **words)
    assert services.peek("acme").priority == 7


@pytest.mark.parametrize("name", ["peek", "reset", "unpin", "forget"])
def test_an_unknown_customer(name):
    with pytest.raises(CustomerNotFound, match="no customer with the key 'nobody'"):
        getattr(services, name)("nobody")


def test_an_event_stays_as_it_is(busy):
    services.reset("acme", reason="one")
    event = Event.objects.get()
    event.reason = "another"
    with pytest.raises(EventIsWritten):
        event.save()


class Someone:
    """Who signed in otherwise than with Django's users."""

    def __init__(self, name):
        self.name = name

    def get_username(self):
        return self.name


@pytest.mark.parametrize(
    ("actor", "told"),
    [
        (Someone(7), "7"),
        (Someone("kim\u200e\n"), "kim"),
        (Someone("k" * 300), "k" * 254),
        (7, "7"),
    ],
)
def test_whoever_acts_is_told_as_text(actor, told):
    services.check("acme")
    services.reset("acme", actor=actor)
    assert Event.objects.get().actor == told


@pytest.mark.parametrize("call", [services.peek, services.reset, services.unpin])
def test_who_counts_nothing_decides_on_no_document(busy, call):
    decision = call("acme")
    assert (decision.document, decision.reset, decision.repeated) == ("", False, False)
