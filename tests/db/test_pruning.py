"""What is older than the settings keep goes, in batches, and nothing else."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.db import connection, transaction
from django.db.models import Model
from django.test.utils import override_settings

from doc_priority.exceptions import InvalidInput
from doc_priority.models import Customer, DocumentDecision, Event
from doc_priority.services import pruning
from doc_priority.services.pruning import Pruned, prunable, prune
from doc_priority.testing import frozen_time
from tests.factories import CustomerFactory, DocumentDecisionFactory, EventFactory

pytestmark = pytest.mark.django_db

NOW = datetime(2030, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def decisions(count: int, *, age: timedelta) -> list[DocumentDecision]:
    customer = Customer.objects.first() or CustomerFactory()
    return DocumentDecisionFactory.create_batch(count, customer=customer, decided_at=NOW - age)


def events(count: int, *, age: timedelta) -> list[Event]:
    return EventFactory.create_batch(count, created_at=NOW - age)


def test_exactly_the_days_of_the_settings_are_kept() -> None:
    kept = decisions(1, age=timedelta(days=30)) + decisions(1, age=timedelta())
    decisions(1, age=timedelta(days=30) + MICROSECOND)
    kept_events = events(1, age=timedelta(days=730))
    events(1, age=timedelta(days=730) + MICROSECOND)
    with frozen_time(NOW):
        assert prunable() == Pruned(decisions=1, events=1)
        assert list(prune()) == [Pruned(decisions=1, events=0), Pruned(decisions=1, events=1)]
        assert prunable() == Pruned(decisions=0, events=0)
    assert set(DocumentDecision.objects.all()) == set(kept)
    assert set(Event.objects.all()) == set(kept_events)
    assert Customer.objects.count() == 1


@override_settings(DOC_PRIORITY={"DOCUMENT_RETENTION_DAYS": 1, "EVENT_RETENTION_DAYS": 2})
def test_the_settings_decide() -> None:
    decisions(1, age=timedelta(days=1, seconds=1))
    events(1, age=timedelta(days=1, seconds=1))
    with frozen_time(NOW):
        assert list(prune()) == [Pruned(decisions=1, events=0)]


@override_settings(DOC_PRIORITY={"DOCUMENT_RETENTION_DAYS": 10**30})
def test_no_count_of_days_is_too_large() -> None:
    decisions(1, age=timedelta(days=3650))
    with frozen_time(NOW):
        assert list(prune()) == []


def test_batches_start_with_the_oldest_and_give_sums() -> None:
    decisions(3, age=timedelta(days=40))
    oldest = decisions(2, age=timedelta(days=50))
    events(3, age=timedelta(days=800))
    with frozen_time(NOW):
        progress = prune(batch_size=2)
        assert next(progress) == Pruned(decisions=2, events=0)
        assert not DocumentDecision.objects.filter(pk__in=[one.pk for one in oldest]).exists()
        assert DocumentDecision.objects.count() == 3
        assert list(progress) == [
            Pruned(decisions=4, events=0),
            Pruned(decisions=5, events=0),
            Pruned(decisions=5, events=2),
            Pruned(decisions=5, events=3),
        ]


def test_nothing_old_is_nothing_to_do() -> None:
    decisions(1, age=timedelta())
    with frozen_time(NOW):
        assert list(prune()) == []


def test_without_a_frozen_time_the_databases_clock_decides() -> None:
    DocumentDecisionFactory()
    DocumentDecisionFactory(decided_at=datetime.now(UTC) - timedelta(days=31))
    assert list(prune()) == [Pruned(decisions=1, events=0)]


def test_batches_are_smaller_while_they_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions(9, age=timedelta(days=40))
    batches_taking(monkeypatch, 0.2, 0.2, 0.05, 0.01, 0.01)
    monkeypatch.setattr(pruning, "SMALL_BATCH", 1)
    with frozen_time(NOW):
        sums = [pruned.decisions for pruned in prune(batch_size=4)]
    assert sums == [4, 6, 7, 8, 9]


def test_small_batches_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions(5, age=timedelta(days=40))
    batches_taking(monkeypatch, 9, 9, 9)
    with frozen_time(NOW):
        assert [pruned.decisions for pruned in prune(batch_size=2)] == [2, 4, 5]


def test_batches_grow_when_they_are_quick_again(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions(14, age=timedelta(days=40))
    batches_taking(monkeypatch, 0.2, 0.2, 0.01, 0.01, 0.01)
    monkeypatch.setattr(pruning, "SMALL_BATCH", 1)
    with frozen_time(NOW):
        sums = [pruned.decisions for pruned in prune(batch_size=4)]
    assert sums == [4, 6, 7, 9, 13, 14]


def test_where_long_begins_and_quick_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions(25, age=timedelta(days=40))
    batches_taking(monkeypatch, 0.5, 0.25, 0.0625, 0.055, 0.01)
    monkeypatch.setattr(pruning, "SMALL_BATCH", 1)
    monkeypatch.setattr(pruning, "LONG", 0.25)
    with frozen_time(NOW):
        sums = [pruned.decisions for pruned in prune(batch_size=8)]
    assert sums == [8, 12, 16, 20, 25]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("options", "pauses"),
    [({}, [4.9, 0.98]), ({"busy_percent": 50}, [0.1, 0.02]), ({"busy_percent": 100}, [0, 0])],
)
def test_it_pauses_but_after_the_last_batch(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, int], pauses: list[float]
) -> None:
    decisions(5, age=timedelta(days=40))
    paused = batches_taking(monkeypatch, 0.1, 0.02, 0.03)
    with frozen_time(NOW):
        list(prune(batch_size=2, **options))
    assert paused == pytest.approx(pauses)


def test_it_does_not_pause_in_a_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions(5, age=timedelta(days=40))
    paused = batches_taking(monkeypatch, 0.1)
    with frozen_time(NOW):
        list(prune(batch_size=2))
    assert paused == []


@pytest.mark.parametrize("busy_percent", [0, -1, 101])
def test_a_share_of_the_time_has_limits(busy_percent: int) -> None:
    with pytest.raises(InvalidInput, match=f"busy_percent {busy_percent} does not lie from 1 to"):
        list(prune(busy_percent=busy_percent))


def batches_taking(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> list[float]:
    """So long as is said by the clock of prune, the last for all that follow; its pauses."""
    moments = [0.0]
    for took in [*seconds, *seconds[-1:] * 20]:
        moments += [moments[-1], moments[-1] + took]
    left, paused = iter(moments[1:]), list[float]()
    clock = SimpleNamespace(monotonic=lambda: next(left), sleep=paused.append)
    monkeypatch.setattr(pruning, "time", clock)
    return paused


@pytest.mark.django_db(transaction=True)
def test_each_batch_is_a_transaction_of_its_own() -> None:
    decisions(2, age=timedelta(days=40))
    with frozen_time(NOW):
        progress = prune(batch_size=1)
        next(progress)
        assert not connection.in_atomic_block
        progress.close()
    assert DocumentDecision.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_callers_transaction_undoes_it() -> None:
    decisions(2, age=timedelta(days=40))
    with frozen_time(NOW), transaction.atomic():
        assert list(prune()) == [Pruned(decisions=2, events=0)]
        transaction.set_rollback(True)
    assert DocumentDecision.objects.count() == 2


@pytest.mark.parametrize(
    "options", [{"batch_size": 10_000}, {"batch_size": 1}, {"busy_percent": 1}]
)
def test_the_limits_themselves_are_taken(options: dict[str, int]) -> None:
    assert list(prune(**options)) == []


@pytest.mark.parametrize("batch_size", [0, -1, 10_001])
def test_batches_have_limits(batch_size: int) -> None:
    with pytest.raises(InvalidInput, match=f"batch_size {batch_size} does not lie"):
        list(prune(batch_size=batch_size))


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("model", "column"), [(DocumentDecision, "decided_at"), (Event, "created_at")]
)
def test_an_index_finds_what_is_old(model: type[Model], column: str) -> None:
    old = model.objects.filter(**{f"{column}__lt": NOW}).order_by(column)
    plan = old.values_list("pk", flat=True)[:1000].explain()
    assert f"USING COVERING INDEX {model._meta.db_table}_{column}" in plan
    assert "TEMP B-TREE" not in plan
