"""`check`, `peek` and `list`; the corrections and their reasons; and `prune`."""

import io
import json
import sys
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test.utils import override_settings

from doc_priority import services
from doc_priority.models import Counter, Customer, DocumentDecision, Event
from doc_priority.testing import (
    assert_priority,
    frozen_time,
    set_pending_documents,
    set_priority,
)
from doc_priority.types import Pin
from tests.commands.conftest import Answer, Lines
from tests.factories import (
    CounterFactory,
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
)

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
WHY = ("--reason", "a contract")


def test_check_makes_a_new_customer_and_counts_each_key_each_time(lines: Lines) -> None:
    assert lines("check", "acme") == ["acme: priority 1, pending documents 0"]
    assert Customer.objects.get().key == "acme"
    set_pending_documents("acme", -12)
    with frozen_time(datetime.now(UTC)):
        found = lines("check", "acme", "beta", "acme")
    assert [line.split(", back")[0] for line in found] == [
        "acme: priority 7, pending documents -13",
        "beta: priority 1, pending documents 0",
        "acme: priority 7, pending documents -14",
    ]

    # It says when the counter is back, in the project's time.
    with frozen_time(NOON):
        set_pending_documents("acme", -12)
        (line,) = lines("check", "acme")
    assert line.endswith(", back at 0 at 2030-01-01 13:25:00 CET")


def test_check_of_a_document_counts_once_and_in_json(lines: Lines, answer: Answer) -> None:
    set_pending_documents("acme", -2)
    (first,) = lines("check", "acme", "--document", "7")
    assert first.startswith("acme document 7: priority 2, pending documents -3, back at 0")
    (again,) = lines("check", "acme", "--document", "7")
    assert again.startswith("acme document 7: priority 2, pending documents -3, decided before, at")
    assert Counter.objects.get().pending_documents == -3
    assert DocumentDecision.objects.count() == 1

    # In JSON; options of call_command may be given by name.
    Customer.objects.all().delete()
    with frozen_time(NOON + timedelta(microseconds=5)):
        assert answer("check", "acme", "beta")[0] == {
            "customer": "acme",
            "document": "",
            "pending_documents": 0,
            "priority": 1,
            "pinned": False,
            "reset": False,
            "repeated": False,
            "decided_at": "2030-01-01T12:00:00.000005Z",
            "resets_at": "2030-01-01T12:25:00.000005Z",
            "policy": "",
        }
    out = io.StringIO()
    call_command("doc_priority", "check", "acme", json=True, stdout=out)
    assert out.getvalue().startswith("[\n")


def test_what_cannot_be_checked_or_peeked_at() -> None:
    for key in ("no key", "", "ä", "x" * 65, "a\n"):
        for subcommand in ("check", "peek"):
            with pytest.raises(CommandError, match="is not a customer's key") as raised:
                call_command("doc_priority", subcommand, key, "acme")
            assert raised.value.returncode == 1
    for message, arguments in {
        "give one KEY": ("check", "acme", "beta", "--document", "7"),
        "--document: it is empty": ("check", "acme", "--document", ""),
        "KEY": ("check",),
        "nobody": ("peek", "nobody"),
    }.items():
        with pytest.raises(CommandError, match=message):
            call_command("doc_priority", *arguments)
    with (
        override_settings(DOC_PRIORITY={"CREATE_CUSTOMERS": False}),
        pytest.raises(CommandError, match="'acme'"),
    ):
        call_command("doc_priority", "check", "acme")
    assert not Customer.objects.exists()


def test_peek_changes_nothing(lines: Lines) -> None:
    """A key may begin with a dash."""
    set_pending_documents("-acme", 0)
    assert lines("peek", "--", "-acme") == ["-acme: priority 1, pending documents 0"]
    Customer.objects.all().delete()
    set_pending_documents("acme", -12)
    before = Counter.objects.values().get()
    (line,) = lines("peek", "acme")
    assert line.startswith("acme: priority 6, pending documents -12, back at 0 at ")
    assert Counter.objects.values().get() == before

    # It shows pin and policy; a text cannot steer the terminal.
    for name, shown in {"gold": "gold", "\x1b[2J": "\ufffd[2J"}.items():
        Customer.objects.all().delete()
        policy = PolicyFactory(name=name)
        CounterFactory(customer__key="acme", customer__policy=policy, pinned=True)
        (line,) = lines("peek", "acme")
        assert line == f"acme: priority 1 (pinned), pending documents 0, policy {shown}"


def test_peek_says_why(lines: Lines, answer: Answer) -> None:
    with frozen_time(datetime(2030, 1, 1, 9, 41, tzinfo=UTC)):
        set_pending_documents("acme", -12)
        CustomerFactory(key="birch", name="Birch\x1b[2J")
        assert lines("peek", "acme", "birch", "--why") == [
            "acme: priority 6, pending documents -12, back at 0 at 2030-01-01 11:06:00 CET",
            "  12 documents since 2030-01-01 10:41:00 CET moved acme from priority 1 to 6. "
            "If nothing new arrives, the priority is back at 1 at 2030-01-01 11:06:00 CET.",
            "birch: priority 1, pending documents 0",
            "  Birch\ufffd[2J has priority 1: no document has been counted yet.",
        ]
        [acme] = answer("peek", "acme", "--why")
    assert (acme["priority"], acme["resets_at"]) == (6, "2030-01-01T10:06:00Z")
    assert acme["explanation"].startswith("12 documents since")

    # In JSON alone.
    Customer.objects.all().delete()
    set_priority("acme", 7)
    CustomerFactory(key="beta")
    acme, beta = answer("peek", "acme", "beta")
    assert (acme["customer"], acme["priority"]) == ("acme", 7)
    assert acme["resets_at"].endswith("Z")
    assert (beta["customer"], beta["priority"], beta["resets_at"]) == ("beta", 1, None)


# The list, worst priority first.


@pytest.fixture
def customers() -> None:
    """Five customers at noon: two counting, one idle, one pinned, one without a document."""
    set_priority("acme", 7, at=NOON)
    set_priority("beta", 9, at=NOON)
    set_priority("gone", 9, at=NOON - timedelta(hours=1))
    CounterFactory(
        customer=CustomerFactory(key="pin", policy=PolicyFactory(name="gold"), name="Pinned & Co"),
        updated_at=NOON,
        pinned_priority=3,
        pinned_until=NOON + timedelta(hours=1),
    )
    CustomerFactory(key="quiet", name="")


def test_the_worst_comes_first_and_filters(customers: None, lines: Lines, answer: Answer) -> None:
    """If there are more, a message says so."""
    with frozen_time(NOON):
        table = lines("list")
        *first, more = lines("list", "--limit", "2")
        assert len(lines("list", "--limit", "5")) == 6
    assert len(first) == 3
    assert more == "There are more; a larger --limit shows them."
    assert [line.split()[0] for line in table] == ["PRIORITY", "9", "7", "3", "1", "1"]
    heading, beta, _, pinned, gone, quiet = table
    assert heading.split()[-1] == "CUSTOMER"
    assert beta.split() == [
        *("9", "-21", "counting", "2030-01-01", "13:25:00", "CET"),
        *("2030-01-01", "13:00:00", "CET", "default", "beta"),
    ]
    assert "pinned until 2030-01-01 14:00:00 CET" in pinned
    assert pinned.endswith("gold     pin (Pinned & Co)")
    assert gone.split()[:4] == ["1", "0", "idle", "-"]
    assert quiet.split() == ["1", "0", "idle", "-", "-", "default", "quiet"]
    assert not any(line.endswith(" ") for line in table)

    set_pending_documents("zeta", -30, at=NOON)
    with frozen_time(NOON):
        for filters, expected in {
            "--priority 9": ["zeta", "beta"],  # more pending documents come before fewer
            "--priority 1": ["gone", "quiet"],
            "--priority-min 3": ["zeta", "beta", "acme", "pin"],
            "--state counting": ["zeta", "beta", "acme"],
            "--state idle": ["gone", "quiet"],
            "--state pinned": ["pin"],
            "--policy gold": ["pin"],
            "--search ET": ["zeta", "beta", "quiet"],
            "--search=pinned_&": ["pin"],
            "--priority-min 2 --priority 3 --search p": ["pin"],
            "--limit 2": ["zeta", "beta"],
        }.items():
            found = answer("list", *(one.replace("_", " ") for one in filters.split()))
            assert [customer["customer"] for customer in found] == expected, filters


def test_the_list_in_json(customers: None, answer: Answer) -> None:
    with frozen_time(NOON):
        (pinned,) = answer("list", "--state", "pinned")
        (quiet,) = answer("list", "--search", "quiet")
    assert pinned == {
        "customer": "pin",
        "name": "Pinned & Co",
        "policy": "gold",
        "state": "pinned",
        "pending_documents": 0,
        "priority": 3,
        "pinned": True,
        "pinned_until": "2030-01-01T13:00:00Z",
        "updated_at": "2030-01-01T12:00:00Z",
        "resets_at": "2030-01-01T12:25:00Z",
    }
    assert (quiet["policy"], quiet["state"], quiet["updated_at"]) == ("", "idle", None)

    # Fifty are listed unless asked for more.
    Customer.objects.all().delete()
    CustomerFactory.create_batch(51)
    assert len(answer("list")) == 50
    assert len(answer("list", "--limit", 51)) == 51


def test_a_pin_without_an_end_and_a_name_in_the_list(lines: Lines, answer: Answer) -> None:
    """A name cannot control the terminal."""
    set_priority("acme", 7)
    services.pin("acme", priority=2, until=None)
    assert "pinned without an end " in lines("list")[1]
    (acme,) = answer("list")
    assert (acme["pinned"], acme["pinned_until"]) == (True, None)
    Customer.objects.update(name="\x1b[31m\u202egnp")
    assert lines("list")[-1].endswith("acme (\ufffd[31m\ufffdgnp)")


def test_the_empty_list_says_what_to_do(lines: Lines, capsys: pytest.CaptureFixture[str]) -> None:
    no_customer = (
        "No customer yet; `manage.py doc_priority check KEY` counts a document and creates one."
    )
    assert lines("list") == [no_customer]
    call_command("doc_priority", "list", "--json")
    captured = capsys.readouterr()
    assert json.loads(captured.out) == []
    assert captured.err == f"{no_customer}\n"

    CustomerFactory()
    assert lines("list", "--policy", "silver") == [
        "No customer matches; leave out a filter to see more."
    ]
    for option, values in {
        "--priority": ["10"],
        "--priority-min": ["0"],
        "--state": ["busy"],
        "--limit": ["0", "many", "9999999999"],
    }.items():
        for value in values:
            with pytest.raises(CommandError, match=f"argument {option}"):
                call_command("doc_priority", "list", option, value)


# The corrections: each keeps its reason, and `forget` asks first.


@pytest.fixture
def acme() -> None:
    """At priority 9, at noon and a little later."""
    set_priority("acme", 9)


def pin(*arguments: str) -> None:
    call_command("doc_priority", "pin", "acme", "--priority", "1", *WHY, *arguments)


def test_reset_keeps_who_and_why(acme: None, lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    found = lines("reset", "acme", "--reason", " a wrong import ", "--actor", "ann")
    assert found == ["acme: priority 1, pending documents 0"]
    event = Event.objects.get()
    assert (event.customer, event.kind, event.actor) == ("acme", "reset", "ann")
    assert (event.reason, event.source) == ("a wrong import", "command")

    # The actor is the system's user unless told.
    monkeypatch.setenv("LOGNAME", "bob")
    lines("reset", "acme", "--reason", "moved")
    assert Event.objects.latest("pk").actor == "bob"

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 2**31 - 7)
    lines("reset", "acme", "--reason", "moved")
    assert Event.objects.latest("pk").actor == "unknown"


def test_reset_of_many_is_for_all_or_none(acme: None, answer: Answer) -> None:
    set_priority("beta", 5)
    with pytest.raises(CommandError, match="nobody"):
        call_command("doc_priority", "reset", "acme", "nobody", "--reason", "moved")
    assert_priority("acme", 9)
    assert not Event.objects.exists()

    decisions = answer("reset", "beta", "acme", "--reason", "moved")
    assert [(one["customer"], one["priority"]) for one in decisions] == [("beta", 1), ("acme", 1)]
    assert Event.objects.count() == 2


def test_a_reason_with_a_limit_is_needed_and_somebody_to_correct(acme: None) -> None:
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
    for subcommand in (
        ["pin", "nobody", "--priority", "2", "--for", "2h", *WHY],
        ["unpin", "nobody"],
        ["forget", "nobody", "--yes", *WHY],
    ):
        with pytest.raises(CommandError, match="'nobody'"):
            call_command("doc_priority", *subcommand)
    assert_priority("acme", 9)
    assert not Event.objects.exists()


def test_pin_for_spans_and_until_times(lines: Lines) -> None:
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

    # Without a frozen time the database's clock counts.
    pin("--for", "1h")
    until = Counter.objects.get().pinned_until
    assert abs(until - datetime.now(UTC) - timedelta(hours=1)) < timedelta(minutes=1)


def test_pin_without_an_end_and_in_json(
    acme: None, lines: Lines, capsys: pytest.CaptureFixture[str]
) -> None:
    line, until = lines("pin", "acme", "--priority", 2, "--no-end", *WHY)
    assert line.startswith("acme: priority 2 (pinned)")
    assert until == "Pinned without an end."
    assert Counter.objects.get().pin == Pin(2, until=None)

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


def test_forget_asks_for_the_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: Lines
) -> None:
    class Terminal(io.StringIO):
        """Somebody who types this."""

        def isatty(self) -> bool:
            return True

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

    # With --yes it asks nothing.
    set_priority("acme", 9)
    Event.objects.all().delete()
    assert lines("forget", "acme", "--yes", *WHY, "--actor", "ann") == ["acme is forgotten."]
    assert not Customer.objects.exists()
    event = Event.objects.get(kind="forget")
    assert (event.actor, event.reason, event.source) == ("ann", "a contract", "command")


# `prune` deletes what is older than the settings keep, or counts it.


@pytest.fixture
def old() -> None:
    customer = CustomerFactory()
    decided_at = NOON - timedelta(days=31)
    DocumentDecisionFactory.create_batch(3, customer=customer, decided_at=decided_at)
    DocumentDecisionFactory(customer=customer, decided_at=NOON)
    EventFactory.create_batch(2, created_at=NOON - timedelta(days=731))


def test_prune_tells_how_far_it_is(old: None, capsys: pytest.CaptureFixture[str]) -> None:
    with frozen_time(NOON):
        call_command("doc_priority", "prune", "--batch-size", 2)
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [
        "Deleted so far: 2 decisions and 0 events.",
        "Deleted so far: 3 decisions and 0 events.",
        "Deleted so far: 3 decisions and 2 events.",
    ]
    assert captured.out == "Deleted 3 decisions and 2 events.\n"
    assert DocumentDecision.objects.count() == 1
    assert not Event.objects.exists()


def test_a_dry_run_only_counts_and_in_json_the_progress_goes_to_stderr(
    old: None, lines: Lines, answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    with frozen_time(NOON):
        assert lines("prune", "--dry-run") == ["Would delete 3 decisions and 2 events."]
        found = answer("prune", "--dry-run")
    assert found == {"decisions": 3, "events": 2, "dry_run": True}
    assert DocumentDecision.objects.count() == 4
    assert Event.objects.count() == 2

    with frozen_time(NOON):
        call_command("doc_priority", "prune", "--json")
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"decisions": 3, "events": 2, "dry_run": False}
    assert captured.err.startswith("Deleted so far: 3 decisions")


def test_prune_has_nothing_to_delete_and_bad_options(lines: Lines) -> None:
    assert lines("prune") == ["Deleted 0 decisions and 0 events."]
    for option, values in {
        "busy-percent": ("0", "-5", "all", "101"),
        "batch-size": ("0", "-5", "many", "10001"),
    }.items():
        for value in values:
            with pytest.raises(CommandError, match=option.replace("-", ".")):
                call_command("doc_priority", "prune", f"--{option}={value}")
