"""`prune` deletes what is older than the settings keep, or counts it."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from doc_priority.models import DocumentDecision, Event
from doc_priority.testing import frozen_time
from tests.commands.conftest import Answer, Lines
from tests.factories import CustomerFactory, DocumentDecisionFactory, EventFactory

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def old() -> None:
    customer = CustomerFactory()
    decided_at = NOW - timedelta(days=31)
    DocumentDecisionFactory.create_batch(3, customer=customer, decided_at=decided_at)
    DocumentDecisionFactory(customer=customer, decided_at=NOW)
    EventFactory.create_batch(2, created_at=NOW - timedelta(days=731))


@pytest.mark.usefixtures("old")
def test_it_tells_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with frozen_time(NOW):
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


@pytest.mark.usefixtures("old")
def test_a_dry_run_only_counts(lines: Lines, answer: Answer) -> None:
    with frozen_time(NOW):
        assert lines("prune", "--dry-run") == ["Would delete 3 decisions and 2 events."]
        found = answer("prune", "--dry-run")
    assert found == {"decisions": 3, "events": 2, "dry_run": True}
    assert DocumentDecision.objects.count() == 4
    assert Event.objects.count() == 2


def test_nothing_to_delete(lines: Lines) -> None:
    assert lines("prune") == ["Deleted 0 decisions and 0 events."]


@pytest.mark.usefixtures("old")
def test_in_json_the_progress_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with frozen_time(NOW):
        call_command("doc_priority", "prune", "--json")
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"decisions": 3, "events": 2, "dry_run": False}
    assert captured.err.startswith("Deleted so far: 3 decisions")


def test_bad_options() -> None:
    for option, values in {
        "busy-percent": ("0", "-5", "all", "101"),
        "batch-size": ("0", "-5", "many", "10001"),
    }.items():
        for value in values:
            with pytest.raises(CommandError, match=option.replace("-", ".")):
                call_command("doc_priority", "prune", f"--{option}={value}")
