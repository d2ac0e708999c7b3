"""`pin` sets a priority by hand until a time, `unpin` takes it off."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from doc_priority.models import Counter, Event
from doc_priority.testing import assert_priority, frozen_time, set_priority
from doc_priority.types import Pin
from tests.commands.conftest import Answer, Lines

pytestmark = pytest.mark.django_db

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
WHY = ("--reason", "a contract")


def pin(*arguments: str) -> None:
    call_command("doc_priority", "pin", "acme", "--priority", "1", *WHY, *arguments)


def test_pin_for_a_span(lines: Lines) -> None:
    with frozen_time(NOON):
        set_priority("acme", 9)
        line, until = lines("pin", "acme", "--priority", 2, "--for", "2h", *WHY, "--actor", "ann")
        assert_priority("acme", 2)
    assert line.startswith("acme: priority 2 (pinned), pending documents -21")
    assert until == "Pinned until 2030-01-01 15:00:00 CET."
    assert Counter.objects.get().pinned_until == NOON + timedelta(hours=2)
    event = Event.objects.get()
    assert (event.kind, event.actor, event.reason) == ("pin", "ann", "a contract")
    assert event.source == "command"


@pytest.mark.parametrize(
    ("span", "length"),
    [
        ("30s", timedelta(seconds=30)),
        ("90m", timedelta(minutes=90)),
        ("1h30m", timedelta(minutes=90)),
        ("7d", timedelta(days=7)),
        ("1d2h3m4s", timedelta(days=1, hours=2, minutes=3, seconds=4)),
        ("999999d", timedelta(days=999_999)),
    ],
)
def test_spans(span: str, length: timedelta) -> None:
    with frozen_time(NOON):
        set_priority("acme", 9)
        pin("--for", span)
    assert Counter.objects.get().pinned_until == NOON + length


@pytest.mark.parametrize(
    "span", ["", "2", "h", "0h", "2 h", "-2h", "2h1d", "1.5h", "1000000d", "٢h"]
)
def test_what_is_no_span(span: str) -> None:
    with pytest.raises(CommandError, match="is not a time span; write it as 90m, 2h or 1d12h"):
        pin(f"--for={span}")


def test_without_a_frozen_time_the_databases_clock_counts() -> None:
    set_priority("acme", 9)
    pin("--for", "1h")
    until = Counter.objects.get().pinned_until
    assert abs(until - datetime.now(UTC) - timedelta(hours=1)) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2030-01-31T18:00Z", datetime(2030, 1, 31, 18, tzinfo=UTC)),
        ("2030-01-31 18:00:30+02:00", datetime(2030, 1, 31, 16, 0, 30, tzinfo=UTC)),
        ("2030-01-31T18:00", datetime(2030, 1, 31, 17, tzinfo=UTC)),
        ("2030-07-31", datetime(2030, 7, 30, 22, tzinfo=UTC)),
    ],
)
def test_pin_until_a_time(text: str, moment: datetime) -> None:
    with frozen_time(NOON):
        set_priority("acme", 9)
        pin("--until", text)
    assert Counter.objects.get().pinned_until == moment


@pytest.mark.parametrize("text", ["tomorrow", "", "18:00", "2030-13-01"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(CommandError, match="is not a time; write it as 2030-01-31T18:00"):
        pin("--until", text)


@pytest.mark.parametrize("text", ["2020-01-01", "0001-01-01", "9999-12-31T23:59Z"])
def test_times_the_services_refuse(text: str) -> None:
    with frozen_time(NOON):
        set_priority("acme", 9)
        with pytest.raises(CommandError):
            pin("--until", text)
    assert Counter.objects.get().pinned_until is None


def test_pin_without_an_end(lines: Lines) -> None:
    set_priority("acme", 9)
    line, until = lines("pin", "acme", "--priority", 2, "--no-end", *WHY)
    assert line.startswith("acme: priority 2 (pinned)")
    assert until == "Pinned without an end."
    assert Counter.objects.get().pin == Pin(2, until=None)


@pytest.mark.parametrize(
    "arguments",
    [[], ["--for", "2h", "--until", "2030-01-01"], ["--no-end", "--until", "2030-01-01"]],
)
def test_one_end_is_needed(arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="--until"):
        pin(*arguments)


@pytest.mark.parametrize("priority", ["0", "10", "-1", "1.0", "one", "", "٣"])
def test_what_is_no_priority(priority: str) -> None:
    with pytest.raises(CommandError, match="is not a priority; give 1 to 9"):
        call_command("doc_priority", "pin", "acme", f"--priority={priority}", "--for=2h", *WHY)


def test_a_reason_is_needed() -> None:
    with pytest.raises(CommandError, match="--reason"):
        call_command("doc_priority", "pin", "acme", "--priority", "2", "--for", "2h")


def test_pin_of_nobody() -> None:
    with pytest.raises(CommandError, match="acme"):
        pin("--for", "2h")


def test_pin_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    with frozen_time(NOON):
        set_priority("acme", 9)
        pin("--for", "2h", "--json")
    captured = capsys.readouterr()
    decision = json.loads(captured.out)
    assert (decision["customer"], decision["priority"], decision["pinned"]) == ("acme", 1, True)
    assert captured.err == "Pinned until 2030-01-01 15:00:00 CET.\n"


def test_unpin(lines: Lines) -> None:
    set_priority("acme", 7)
    pin("--for", "2h")
    found = lines("unpin", "acme", "--reason", "over", "--actor", "ann")
    assert found[-1].startswith("acme: priority 7, pending documents -13")
    event = Event.objects.get(kind="unpin")
    assert (event.reason, event.actor, event.source) == ("over", "ann", "command")


def test_unpin_needs_no_reason(answer: Answer) -> None:
    set_priority("acme", 7)
    decision = answer("unpin", "acme")
    assert (decision["customer"], decision["pinned"]) == ("acme", False)


def test_unpin_of_nobody() -> None:
    with pytest.raises(CommandError, match="nobody"):
        call_command("doc_priority", "unpin", "nobody")
