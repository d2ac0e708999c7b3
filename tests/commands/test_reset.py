"""`reset` puts counters to 0, with a reason that is kept."""

import pytest
from django.core.management import CommandError, call_command

from doc_priority.models import Counter, Event
from doc_priority.testing import assert_priority, set_priority
from tests.commands.conftest import Answer, Lines

pytestmark = pytest.mark.django_db


def test_reset_keeps_who_and_why(lines: Lines) -> None:
    set_priority("acme", 9)
    found = lines("reset", "acme", "--reason", " a wrong import ", "--actor", "ann")
    assert found == ["acme: priority 1, pending documents 0"]
    event = Event.objects.get()
    assert (event.customer, event.kind, event.actor) == ("acme", "reset", "ann")
    assert (event.reason, event.source) == ("a wrong import", "command")


def test_reset_of_many(answer: Answer) -> None:
    set_priority("acme", 9)
    set_priority("beta", 5)
    decisions = answer("reset", "beta", "acme", "--reason", "moved")
    assert [(one["customer"], one["priority"]) for one in decisions] == [("beta", 1), ("acme", 1)]
    assert Event.objects.count() == 2


def test_reset_is_for_all_or_none() -> None:
    set_priority("acme", 9)
    with pytest.raises(CommandError, match="nobody"):
        call_command("doc_priority", "reset", "acme", "nobody", "--reason", "moved")
    assert_priority("acme", 9)
    assert not Event.objects.exists()


def test_the_actor_is_the_systems_user(monkeypatch: pytest.MonkeyPatch, lines: Lines) -> None:
    monkeypatch.setenv("LOGNAME", "bob")
    set_priority("acme", 9)
    lines("reset", "acme", "--reason", "moved")
    assert Event.objects.get().actor == "bob"


def test_a_system_without_users(monkeypatch: pytest.MonkeyPatch, lines: Lines) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 2**31 - 7)
    set_priority("acme", 9)
    lines("reset", "acme", "--reason", "moved")
    assert Event.objects.get().actor == "unknown"


@pytest.mark.parametrize("reason", [[], ["--reason", ""], ["--reason", "  "]])
def test_a_reason_is_needed(reason: list[str]) -> None:
    set_priority("acme", 9)
    with pytest.raises(CommandError, match="--reason"):
        call_command("doc_priority", "reset", "acme", *reason)
    assert_priority("acme", 9)


def test_a_reason_has_a_limit() -> None:
    set_priority("acme", 9)
    with pytest.raises(CommandError, match="500"):
        call_command("doc_priority", "reset", "acme", "--reason", "x" * 501)
    assert Counter.objects.get().pending_documents < 0
