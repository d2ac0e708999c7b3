"""`reset`, `pin`, `unpin` and `forget`: each keeps its reason, and `forget` asks first."""

import io
import json
import sys
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from doc_priority.models import Counter, Customer, Event
from doc_priority.testing import assert_priority, frozen_time, set_priority
from doc_priority.types import Pin
from tests.commands.conftest import Answer, Lines

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
WHY = ("--reason", "a contract")


@pytest.fixture
def acme() -> None:
    """At 9, at noon and a little later."""
    set_priority("acme", 9)


def pin(*arguments: str) -> None:
    call_command("doc_priority", "pin", "acme", "--priority", "1", *WHY, *arguments)


def test_reset_keeps_who_and_why(acme: None, lines: Lines) -> None:
    found = lines("reset", "acme", "--reason", " a wrong import ", "--actor", "ann")
    assert found == ["acme: priority 1, pending documents 0"]
    event = Event.objects.get()
    assert (event.customer, event.kind, event.actor) == ("acme", "reset", "ann")
    assert (event.reason, event.source) == ("a wrong import", "command")


def test_reset_of_many_is_for_all_or_none(acme: None, answer: Answer) -> None:
    set_priority("beta", 5)
    with pytest.raises(CommandError, match="nobody"):
        call_command("doc_priority", "reset", "acme", "nobody", "--reason", "moved")
    assert_priority("acme", 9)
    assert not Event.objects.exists()

    decisions = answer("reset", "beta", "acme", "--reason", "moved")
    assert [(one["customer"], one["priority"]) for one in decisions] == [("beta", 1), ("acme", 1)]
    assert Event.objects.count() == 2


def test_the_actor_is_the_systems_user(
    acme: None, monkeypatch: pytest.MonkeyPatch, lines: Lines
) -> None:
    monkeypatch.setenv("LOGNAME", "bob")
    lines("reset", "acme", "--reason", "moved")
    assert Event.objects.latest("pk").actor == "bob"

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 2**31 - 7)
    lines("reset", "acme", "--reason", "moved")
    assert Event.objects.latest("pk").actor == "unknown"


def test_a_reason_is_needed_and_has_a_limit(acme: None) -> None:
    for subcommand in (
        ["reset", "acme"],
        ["reset", "acme", "--reason", ""],
        ["reset", "acme", "--reason", "  "],
        ["pin", "acme", "--priority", "2", "--for", "2h"],
        ["forget", "acme", "--yes"],
    ):
        with pytest.raises(CommandError, match="--reason"):
            call_command("doc_priority", *subcommand)
    with pytest.raises(CommandError, match="500"):
        call_command("doc_priority", "reset", "acme", "--reason", "x" * 501)
    assert_priority("acme", 9)
    assert not Event.objects.exists()


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


def test_spans_and_times(acme: None) -> None:
    with frozen_time(NOON):
        for span, length in {
            "30s": timedelta(seconds=30),
            "90m": timedelta(minutes=90),
            "1h30m": timedelta(minutes=90),
            "7d": timedelta(days=7),
            "1d2h3m4s": timedelta(days=1, hours=2, minutes=3, seconds=4),
            "999999d": timedelta(days=999_999),
        }.items():
            pin("--for", span)
            assert Counter.objects.get().pinned_until == NOON + length
        for text, moment in {
            "2030-01-31T18:00Z": datetime(2030, 1, 31, 18, tzinfo=UTC),
            "2030-01-31 18:00:30+02:00": datetime(2030, 1, 31, 16, 0, 30, tzinfo=UTC),
            "2030-01-31T18:00": datetime(2030, 1, 31, 17, tzinfo=UTC),
            "2030-07-31": datetime(2030, 7, 30, 22, tzinfo=UTC),
        }.items():
            pin("--until", text)
            assert Counter.objects.get().pinned_until == moment


def test_spans_times_and_priorities_that_are_none(acme: None) -> None:
    for span in ("", "2", "h", "0h", "2 h", "-2h", "2h1d", "1.5h", "1000000d", "٢h"):
        with pytest.raises(CommandError, match="is not a time span; write it as 90m, 2h or 1d12h"):
            pin(f"--for={span}")
    for text in ("tomorrow", "", "18:00", "2030-13-01"):
        with pytest.raises(CommandError, match="is not a time; write it as 2030-01-31T18:00"):
            pin("--until", text)
    with frozen_time(NOON):
        for text in ("2020-01-01", "0001-01-01", "9999-12-31T23:59Z"):
            with pytest.raises(CommandError):
                pin("--until", text)
    for priority in ("0", "10", "-1", "1.0", "one", "", "٣"):
        with pytest.raises(CommandError, match="is not a priority; give 1 to 9"):
            call_command("doc_priority", "pin", "acme", f"--priority={priority}", "--for=2h", *WHY)
    for arguments in (
        [],
        ["--for", "2h", "--until", "2030-01-01"],
        ["--no-end", "--until", "2030-01-01"],
    ):
        with pytest.raises(CommandError, match="--until"):
            pin(*arguments)
    assert Counter.objects.get().pinned_until is None


def test_without_a_frozen_time_the_databases_clock_counts(acme: None) -> None:
    pin("--for", "1h")
    until = Counter.objects.get().pinned_until
    assert abs(until - datetime.now(UTC) - timedelta(hours=1)) < timedelta(minutes=1)


def test_pin_without_an_end(acme: None, lines: Lines) -> None:
    line, until = lines("pin", "acme", "--priority", 2, "--no-end", *WHY)
    assert line.startswith("acme: priority 2 (pinned)")
    assert until == "Pinned without an end."
    assert Counter.objects.get().pin == Pin(2, until=None)


def test_pin_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    with frozen_time(NOON):
        set_priority("acme", 9)
        pin("--for", "2h", "--json")
    captured = capsys.readouterr()
    decision = json.loads(captured.out)
    assert (decision["customer"], decision["priority"], decision["pinned"]) == ("acme", 1, True)
    assert captured.err == "Pinned until 2030-01-01 15:00:00 CET.\n"


def test_unpin_needs_no_reason(lines: Lines, answer: Answer) -> None:
    set_priority("acme", 7)
    pin("--for", "2h")
    found = lines("unpin", "acme", "--reason", "over", "--actor", "ann")
    assert found[-1].startswith("acme: priority 7, pending documents -13")
    event = Event.objects.get(kind="unpin")
    assert (event.reason, event.actor, event.source) == ("over", "ann", "command")
    decision = answer("unpin", "acme")
    assert (decision["customer"], decision["pinned"]) == ("acme", False)


def test_nobody_is_corrected() -> None:
    for subcommand in (
        ["pin", "nobody", "--priority", "2", "--for", "2h", *WHY],
        ["unpin", "nobody"],
        ["forget", "nobody", "--yes", *WHY],
    ):
        with pytest.raises(CommandError, match="'nobody'"):
            call_command("doc_priority", *subcommand)


class Terminal(io.StringIO):
    """Somebody who types this."""

    def isatty(self) -> bool:
        return True


def test_forget_asks_for_the_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    set_priority("acme", 7)
    for typed in ("y\n", "Acme\n", "\n", ""):
        monkeypatch.setattr(sys, "stdin", Terminal(typed))
        with pytest.raises(CommandError, match="That is not the key; nothing was erased"):
            call_command("doc_priority", "forget", "acme", *WHY)
    monkeypatch.setattr(sys, "stdin", io.StringIO("acme\n"))
    with pytest.raises(CommandError, match="--yes forgets without asking"):
        call_command("doc_priority", "forget", "acme", *WHY)
    monkeypatch.setattr(sys, "stdin", Terminal("nobody\n"))
    with pytest.raises(CommandError, match="'nobody'"):
        call_command("doc_priority", "forget", "nobody", *WHY)
    assert Customer.objects.exists()

    capsys.readouterr()
    monkeypatch.setattr(sys, "stdin", Terminal("acme\n"))
    call_command("doc_priority", "forget", "acme", *WHY)
    out = capsys.readouterr().out
    assert out.startswith("acme: priority 7, pending documents -13")
    assert "This customer is erased for good." in out
    assert out.endswith("acme is forgotten.\n")
    assert not Customer.objects.exists()


def test_forget_with_yes_asks_nothing(acme: None, lines: Lines) -> None:
    assert lines("forget", "acme", "--yes", *WHY, "--actor", "ann") == ["acme is forgotten."]
    assert not Customer.objects.exists()
    event = Event.objects.get(kind="forget")
    assert (event.actor, event.reason, event.source) == ("ann", "a contract", "command")
