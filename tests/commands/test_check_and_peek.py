"""`check` counts, `peek` only looks."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test.utils import override_settings

from doc_priority.models import Counter, Customer, DocumentDecision
from doc_priority.testing import frozen_time, set_pending_documents, set_priority
from tests.commands.conftest import Answer, Lines
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


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


def test_check_says_when_the_counter_is_back_in_the_projects_time(lines: Lines) -> None:
    with frozen_time(NOON):
        set_pending_documents("acme", -12)
        (line,) = lines("check", "acme")
    assert line.endswith(", back at 0 at 2030-01-01 13:25:00 CET")


def test_check_of_a_document_counts_once(lines: Lines) -> None:
    set_pending_documents("acme", -2)
    (first,) = lines("check", "acme", "--document", "7")
    assert first.startswith("acme document 7: priority 2, pending documents -3, back at 0")
    (again,) = lines("check", "acme", "--document", "7")
    assert again.startswith("acme document 7: priority 2, pending documents -3, decided before, at")
    assert Counter.objects.get().pending_documents == -3
    assert DocumentDecision.objects.count() == 1


def test_check_in_json(answer: Answer) -> None:
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
    assert not Customer.objects.exists()


@override_settings(DOC_PRIORITY={"CREATE_CUSTOMERS": False})
def test_check_makes_none_where_the_portal_does() -> None:
    with pytest.raises(CommandError, match="'acme'"):
        call_command("doc_priority", "check", "acme")


def test_a_key_may_begin_with_a_dash(lines: Lines) -> None:
    set_pending_documents("-acme", 0)
    assert lines("peek", "--", "-acme") == ["-acme: priority 1, pending documents 0"]


def test_peek_changes_nothing(lines: Lines) -> None:
    set_pending_documents("acme", -12)
    before = Counter.objects.values().get()
    (line,) = lines("peek", "acme")
    assert line.startswith("acme: priority 6, pending documents -12, back at 0 at ")
    assert Counter.objects.values().get() == before


def test_peek_shows_pin_and_policy(lines: Lines) -> None:
    """A text cannot steer the terminal."""
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
            "  12 documents since 2030-01-01 10:41:00 CET bring acme from 1 to 6. Without a new "
            "document it is back at 1 at 2030-01-01 11:06:00 CET.",
            "birch: priority 1, pending documents 0",
            "  Birch\ufffd[2J stands at priority 1: no document has been counted yet.",
        ]
        [acme] = answer("peek", "acme", "--why")
    assert (acme["priority"], acme["resets_at"]) == (6, "2030-01-01T10:06:00Z")
    assert acme["explanation"].startswith("12 documents since")


def test_peek_in_json(answer: Answer) -> None:
    set_priority("acme", 7)
    CustomerFactory(key="beta")
    acme, beta = answer("peek", "acme", "beta")
    assert (acme["customer"], acme["priority"]) == ("acme", 7)
    assert acme["resets_at"].endswith("Z")
    assert (beta["customer"], beta["priority"], beta["resets_at"]) == ("beta", 1, None)


def test_call_command_takes_options_by_name() -> None:
    out = StringIO()
    call_command("doc_priority", "check", "acme", json=True, stdout=out)
    assert out.getvalue().startswith("[\n")
