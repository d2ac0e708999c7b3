"""`forget` erases a customer, but only after somebody has said so."""

import io
import sys

import pytest
from django.core.management import CommandError, call_command

from doc_priority.models import Customer, Event
from doc_priority.testing import set_priority
from tests.commands.conftest import Lines

pytestmark = pytest.mark.django_db

WHY = ("--reason", "asked for it", "--actor", "ann")


class Terminal(io.StringIO):
    """Somebody who types this."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> "pytest.MonkeyPatch":
    set_priority("acme", 7)
    return monkeypatch


def test_yes_asks_nothing(lines: Lines) -> None:
    set_priority("acme", 7)
    assert lines("forget", "acme", "--yes", *WHY) == ["acme is forgotten."]
    assert not Customer.objects.exists()
    event = Event.objects.get(kind="forget")
    assert (event.actor, event.reason, event.source) == ("ann", "asked for it", "command")


def test_the_key_has_to_be_typed(
    typed: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed.setattr(sys, "stdin", Terminal("acme\n"))
    call_command("doc_priority", "forget", "acme", *WHY)
    out = capsys.readouterr().out
    assert out.startswith("acme: priority 7, pending documents -13")
    assert "This customer is erased for good." in out
    assert out.endswith("acme is forgotten.\n")
    assert not Customer.objects.exists()


@pytest.mark.parametrize("answer", ["y\n", "Acme\n", "\n", ""])
def test_anything_else_erases_nothing(typed: pytest.MonkeyPatch, answer: str) -> None:
    typed.setattr(sys, "stdin", Terminal(answer))
    with pytest.raises(CommandError, match="That is not the key; nothing was erased"):
        call_command("doc_priority", "forget", "acme", *WHY)
    assert Customer.objects.exists()


def test_without_a_terminal_it_needs_yes(typed: pytest.MonkeyPatch) -> None:
    typed.setattr(sys, "stdin", io.StringIO("acme\n"))
    with pytest.raises(CommandError, match="--yes forgets without asking"):
        call_command("doc_priority", "forget", "acme", *WHY)
    assert Customer.objects.exists()


def test_nobody_is_not_asked_about(typed: pytest.MonkeyPatch) -> None:
    typed.setattr(sys, "stdin", Terminal("nobody\n"))
    with pytest.raises(CommandError, match="'nobody'"):
        call_command("doc_priority", "forget", "nobody", *WHY)


def test_nobody_cannot_be_forgotten() -> None:
    with pytest.raises(CommandError, match="'nobody'"):
        call_command("doc_priority", "forget", "nobody", "--yes", *WHY)


def test_a_reason_is_needed() -> None:
    with pytest.raises(CommandError, match="--reason"):
        call_command("doc_priority", "forget", "acme", "--yes")
