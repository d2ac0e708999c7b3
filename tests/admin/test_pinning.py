"""Pin and unpin by hand."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from doc_priority.admin.forms import PinForm
from doc_priority.models import Counter, Customer, Event
from doc_priority.services import peek
from doc_priority.types import Pin
from tests.admin.confirmations import LATER, PIN, RESET, UNPIN, ask, send, tick
from tests.admin.customers import at_priority, pinned
from tests.admin.lists import text_of, told

pytestmark = pytest.mark.django_db


def test_a_pin_lasts_until_its_time(admin: Client) -> None:
    acme = at_priority(7)
    asked = ask(admin, PIN, acme)
    done = send(admin, PIN, asked, priority="2", until=LATER, reason="contract")
    assert told(done) == ["1 customer was pinned."]
    row = Customer.objects.live().get()
    assert (row.priority, row.pinned) == (2, True)
    assert timezone.localtime(row.pinned_until).strftime("%Y-%m-%dT%H:%M") == LATER
    assert Event.objects.get().reason == "contract"


@pytest.mark.parametrize("until", ["", LATER, "2020-01-01T10:00", "soon"])
def test_a_pin_without_an_end_is_ticked(admin: Client, until: str) -> None:
    acme = at_priority(7)
    filled_in = {"priority": "2", "until": until, "without_end": "on", "reason": "contract"}
    done = send(admin, PIN, ask(admin, PIN, acme), **filled_in)
    assert told(done) == ["1 customer was pinned."]
    assert Counter.objects.get().pin == Pin(2, until=None)
    assert LogEntry.objects.get().change_message == "pin: 7 → 2; pinned without an end (contract)"


def test_an_ended_pin_is_told_nowhere(admin: Client) -> None:
    acme = at_priority(7)
    Counter.objects.update(pinned_priority=2, pinned_until=datetime(2020, 1, 1, tzinfo=UTC))
    assert "pinned" not in text_of(ask(admin, RESET, acme))
    done = send(admin, UNPIN, ask(admin, UNPIN, acme), reason="ended")
    assert told(done) == ["1 customer had no pin: there was nothing to do."]
    send(admin, RESET, ask(admin, RESET, acme), reason="ran twice")
    assert LogEntry.objects.get().change_message == "reset: 7 → 1 (ran twice)"


@pytest.mark.parametrize(
    ("filled_in", "said"),
    [
        ({"priority": "2", "until": ""}, "This field is required."),
        ({"priority": "", "until": LATER}, "This field is required."),
        ({"priority": "10", "until": LATER}, "Select a valid choice."),
        ({"priority": "2", "until": "2020-01-01T10:00"}, "This time has passed"),
        ({"priority": "2", "until": "soon"}, "Enter a valid date/time."),
        ({"priority": "2", "until": "9998-01-01T00:00"}, "This time is too far ahead"),
    ],
)
def test_a_pin_that_is_none_is_refused(admin: Client, filled_in: dict[str, str], said: str) -> None:
    acme = at_priority(7)
    answer = send(admin, PIN, ask(admin, PIN, acme), reason="x", **filled_in)
    assert said in text_of(answer)
    assert peek(acme.key).priority == 7


def test_a_portal_without_time_zones_pins_by_its_clock(admin: Client, settings: Any) -> None:
    settings.USE_TZ = False
    acme = at_priority(7)
    send(admin, PIN, ask(admin, PIN, acme), priority="2", until="2126-07-18T10:00", reason="x")
    until = Customer.objects.live().get().pinned_until
    assert until == datetime(2126, 7, 18, 8, tzinfo=UTC)


@pytest.mark.parametrize("until", ["2126-03-31T02:30", "2126-10-27T02:30"])
@pytest.mark.parametrize("use_tz", [True, False])
def test_times_that_the_clocks_show_never_or_twice_are_refused(
    admin: Client, settings: Any, until: str, use_tz: bool
) -> None:
    settings.USE_TZ = use_tz
    acme = at_priority(7)
    answer = send(admin, PIN, ask(admin, PIN, acme), priority="2", until=until, reason="x")
    assert 'class="errorlist"' in answer.content.decode()
    assert not peek(acme.key).pinned


@pytest.mark.parametrize("now", ["2026-10-25 00:10Z", "2026-10-25 00:30Z", "2026-10-25 01:30Z"])
def test_the_time_offered_in_the_night_of_the_clocks_is_accepted(admin: Client, now: str) -> None:
    acme = at_priority(7)
    with time_machine.travel(now, tick=False):
        session = Client()
        session.force_login(User.objects.get())
        asked = ask(session, PIN, acme)
        found = re.search(r'name="until" value="([^"]+)"', asked.content.decode())
        assert found is not None
        form = PinForm({"priority": "2", "until": found[1], "reason": "x"})
        assert form.is_valid(), form.errors


def test_pinning_and_unpinning_begin_in_the_list_too(admin: Client) -> None:
    acme, birch = at_priority(7), at_priority(8)
    asked = tick(admin, "pin_priority", acme, birch)
    done = send(admin, PIN, asked, priority="3", until=LATER, reason="contract")
    assert told(done) == ["2 customers were pinned."]
    done = send(admin, UNPIN, tick(admin, "unpin_priority", acme, birch), reason="ended")
    assert told(done) == ["2 customers were unpinned."]
    assert [peek(one.key).priority for one in (acme, birch)] == [7, 8]


def test_the_time_offered_for_a_pin_lies_an_hour_ahead(admin: Client) -> None:
    asked = ask(admin, PIN, at_priority(7)).content.decode()
    found = re.search(r'type="datetime-local" name="until" value="([^"]+)"', asked)
    assert found is not None
    offered = timezone.make_aware(datetime.strptime(found[1], "%Y-%m-%dT%H:%M"))  # noqa: DTZ007
    assert timedelta(minutes=58) < offered - datetime.now(UTC) <= timedelta(hours=1)
    assert "In the time zone Europe/Berlin." in asked


def test_a_pinned_customer_keeps_its_pin_when_it_is_reset(admin: Client) -> None:
    held = pinned(2, name="Held")
    asked = ask(admin, RESET, held)
    assert re.search(r"2 pinned → becomes 2 pinned", text_of(asked))
    send(admin, RESET, asked, reason="x")
    assert peek(held.key).priority == 2


def test_unpinning_lets_the_counter_decide(admin: Client) -> None:
    held = pinned(2)
    done = send(admin, UNPIN, ask(admin, UNPIN, held), reason="contract ended")
    assert told(done) == ["1 customer was unpinned."]
    assert not peek(held.key).pinned


def test_where_there_is_no_pin_nothing_is_claimed(admin: Client) -> None:
    held, acme = pinned(2), at_priority(7)
    done = send(admin, UNPIN, ask(admin, UNPIN, held, acme), reason="ended")
    assert told(done) == [
        "1 customer was unpinned.",
        "1 customer had no pin: there was nothing to do.",
    ]
    assert LogEntry.objects.get().object_id == str(held.pk)
    done = send(admin, UNPIN, ask(admin, UNPIN, acme), reason="ended")
    assert told(done) == ["1 customer had no pin: there was nothing to do."]
    assert Event.objects.count() == LogEntry.objects.count() == 1
