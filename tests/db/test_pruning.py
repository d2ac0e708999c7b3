"""Pruning deletes what is older than the settings allow, in batches, and nothing else."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.db import connection, transaction

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


def test_exactly_the_days_of_the_settings_are_kept(settings) -> None:
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

    # No count of days is too large.
    DocumentDecision.objects.all().delete()
    Event.objects.all().delete()
    age = timedelta(days=1, seconds=1)
    decisions(1, age=age)
    events(1, age=age)
    with frozen_time(NOW):
        assert list(prune()) == []
        settings.DOC_PRIORITY = {"DOCUMENT_RETENTION_DAYS": 10**30, "EVENT_RETENTION_DAYS": 2}
        assert list(prune()) == []
        settings.DOC_PRIORITY = {"DOCUMENT_RETENTION_DAYS": 1, "EVENT_RETENTION_DAYS": 2}
        assert list(prune()) == [Pruned(decisions=1, events=0)]

    settings.DOC_PRIORITY = {}
    DocumentDecision.objects.all().delete()
    DocumentDecisionFactory()
    DocumentDecisionFactory(decided_at=datetime.now(UTC) - timedelta(days=31))
    Event.objects.all().delete()
    assert list(prune()) == [Pruned(decisions=1, events=0)]


def test_batches_start_with_the_oldest_and_give_sums(monkeypatch: pytest.MonkeyPatch) -> None:
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

    # They are smaller while they take long, and grow when they are quick again; small ones stay.
    for small, long, size, seconds, sums in [
        (1, 0.1, 4, [0.2, 0.2, 0.05, 0.01, 0.01], [4, 6, 7, 8, 9]),
        (1, 0.1, 4, [0.2, 0.2, 0.01, 0.01, 0.01], [4, 6, 7, 9, 13, 14]),
        (1, 0.25, 8, [0.5, 0.25, 0.0625, 0.055, 0.01], [8, 12, 16, 20, 25]),
        (100, 0.1, 2, [9, 9, 9], [2, 4, 5]),
    ]:
        decisions(sums[-1], age=timedelta(days=40))
        batches_taking(monkeypatch, *seconds)
        monkeypatch.setattr(pruning, "SMALL_BATCH", small)
        monkeypatch.setattr(pruning, "LONG", long)
        with frozen_time(NOW):
            assert [pruned.decisions for pruned in prune(batch_size=size)] == sums


@pytest.mark.django_db(transaction=True, available_apps=["doc_priority"])
def test_it_pauses_but_after_the_last_batch_and_never_in_a_transaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each batch is a transaction; a caller's rollback restores everything."""
    for options, pauses in [
        ({}, [4.9, 0.98]),
        ({"busy_percent": 50}, [0.1, 0.02]),
        ({"busy_percent": 100}, [0, 0]),
    ]:
        decisions(5, age=timedelta(days=40))
        paused = batches_taking(monkeypatch, 0.1)
        with frozen_time(NOW), transaction.atomic():
            list(prune(batch_size=2, **options))
            transaction.set_rollback(True)
        assert paused == []

        paused = batches_taking(monkeypatch, 0.1, 0.02, 0.03)
        with frozen_time(NOW):
            list(prune(batch_size=2, **options))
        assert paused == pytest.approx(pauses)

    decisions(3, age=timedelta(days=40))
    with frozen_time(NOW):
        progress = prune(batch_size=1)
        next(progress)
        assert not connection.in_atomic_block
        progress.close()
        assert DocumentDecision.objects.count() == 2
        with transaction.atomic():
            assert list(prune()) == [Pruned(decisions=2, events=0)]
            transaction.set_rollback(True)
    assert DocumentDecision.objects.count() == 2


def test_batches_and_the_share_of_the_time_have_limits() -> None:
    for taken in ({"batch_size": 10_000}, {"batch_size": 1}, {"busy_percent": 1}):
        assert list(prune(**taken)) == []
    for busy_percent in (0, -1, 101):
        with pytest.raises(InvalidInput, match=f"busy_percent {busy_percent} is not"):
            list(prune(busy_percent=busy_percent))
    for batch_size in (0, -1, 10_001):
        with pytest.raises(InvalidInput, match=f"batch_size {batch_size} is not"):
            list(prune(batch_size=batch_size))


def batches_taking(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> list[float]:
    """Let each batch take this long by the clock of `prune`; the pauses that it makes."""
    moments = [0.0]
    for took in [*seconds, *seconds[-1:] * 20]:
        moments += [moments[-1], moments[-1] + took]
    left, paused = iter(moments[1:]), list[float]()
    clock = SimpleNamespace(monotonic=lambda: next(left), sleep=paused.append)
    monkeypatch.setattr(pruning, "time", clock)
    return paused


@pytest.mark.sqlite
def test_an_index_finds_what_is_old() -> None:
    for model, column in ((DocumentDecision, "decided_at"), (Event, "created_at")):
        old = model.objects.filter(**{f"{column}__lt": NOW}).order_by(column)
        plan = old.values_list("pk", flat=True)[:1000].explain()
        assert f"USING COVERING INDEX {model._meta.db_table}_{column}" in plan
        assert "TEMP B-TREE" not in plan
