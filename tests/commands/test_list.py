"""`list`: the live list, worst priority first."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from doc_priority import services
from doc_priority.testing import frozen_time, set_pending_documents, set_priority
from tests.commands.conftest import Answer, Lines
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def customers() -> None:
    """Five at noon: two counting, one idle, one pinned, one who never sent anything."""
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


@pytest.mark.usefixtures("customers")
def test_the_worst_comes_first(lines: Lines) -> None:
    with frozen_time(NOON):
        table = lines("list")
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


@pytest.mark.usefixtures("customers")
def test_filters(answer: Answer) -> None:
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


@pytest.mark.usefixtures("customers")
def test_in_json(answer: Answer) -> None:
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


def test_a_pin_without_an_end(lines: Lines, answer: Answer) -> None:
    set_priority("acme", 7)
    services.pin("acme", priority=2, until=None)
    assert "pinned without an end " in lines("list")[1]
    (acme,) = answer("list")
    assert (acme["pinned"], acme["pinned_until"]) == (True, None)


@pytest.mark.usefixtures("customers")
def test_the_limit_says_that_there_is_more(lines: Lines) -> None:
    with frozen_time(NOON):
        *table, more = lines("list", "--limit", "2")
        assert len(lines("list", "--limit", "5")) == 6
    assert len(table) == 3
    assert more == "There are more; a larger --limit shows them."


def test_fifty_unless_asked_for_more(answer: Answer) -> None:
    CustomerFactory.create_batch(51)
    assert len(answer("list")) == 50
    assert len(answer("list", "--limit", 51)) == 51


def test_the_empty_list_says_what_to_do(lines: Lines, capsys: pytest.CaptureFixture[str]) -> None:
    no_customer = (
        "No customer yet; `manage.py doc_priority check KEY` counts a document and makes one."
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


def test_a_name_cannot_steer_the_terminal(lines: Lines) -> None:
    CustomerFactory(key="acme", name="\x1b[31m\u202egnp")
    assert lines("list")[-1].endswith("acme (\ufffd[31m\ufffdgnp)")


def test_bad_filters() -> None:
    for option, values in {
        "--priority": ["10"],
        "--priority-min": ["0"],
        "--state": ["busy"],
        "--limit": ["0", "many", "9999999999"],
    }.items():
        for value in values:
            with pytest.raises(CommandError, match=f"argument {option}"):
                call_command("doc_priority", "list", option, value)
