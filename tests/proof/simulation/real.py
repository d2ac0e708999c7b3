"""The same steps done by doc_priority itself, and what it stored."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings as django_settings
from django.db import connection, transaction
from django.test import override_settings

from doc_priority import selectors, services, testing
from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from doc_priority.services.pruning import prune
from doc_priority.types import Decision
from tests.proof.simulation.live_statement import LIVE, live_now
from tests.proof.simulation.operations import START, Answer, Operation, Refused
from tests.proof.simulation.portal import Happening
from tests.proof.simulation.reckoning import Terms

ELSEWHERE = ZoneInfo("Europe/Berlin")
EPOCH = datetime.fromtimestamp(0, UTC)
MICROSECOND = timedelta(microseconds=1)
TIMES = ("at", "until")

COUNTERS = """
    SELECT customer_id, pending_documents, updated_at, recovered_at, pinned_priority, pinned_until
      FROM doc_priority_counter
"""
UNTOUCHED = (0, None, None, None, None)


class Real:
    """doc_priority under a clock that stands until it is moved."""

    def __init__(self, time: testing.FrozenTime) -> None:
        self._time = time

    def perform(self, operation: Operation) -> Any:
        """What came of it, in the model's terms; an error that is not ours is raised."""
        arguments = {
            name: moment_of(value) if name in TIMES else value
            for name, value in operation.arguments.items()
        }
        own: Callable[..., Any] | None = getattr(self, operation.name, None)
        call = own or getattr(services, operation.name)
        try:
            return _told(call(**arguments))
        except DocPriorityError as error:
            return Refused.by(type(error).__name__)

    def clock(self, to: int) -> None:
        self._time.move_to(moment_of(to))

    def settings(self, **values: Any) -> None:
        django_settings.DOC_PRIORITY = values

    def put(self, customer: str, count: int, at: datetime) -> None:
        testing.set_pending_documents(customer, count, at=at)

    def prune(self, batch_size: int) -> tuple[int, int]:
        last = (0, 0)
        for pruned in prune(batch_size=batch_size, busy_percent=100):
            last = pruned.decisions, pruned.events
        return last

    def create_customer(self, customer: str, policy: str | None = None) -> str:
        return services.create_customer(customer, policy=policy).key

    def live(self, at: datetime | None = None) -> list[tuple[Any, ...]]:
        rows = Customer.objects.live(at).order_by().values_list(*LIVE)
        return sorted((*row[:5], *map(microseconds_of, row[5:])) for row in rows)

    def live_now(self) -> list[tuple[Any, ...]]:
        return live_now(microseconds_of(self._time.now))

    def overview(self, at: datetime | None = None) -> tuple[dict[int, int], int, int]:
        seen = selectors.overview(Customer.objects.all(), at=at)
        return seen.priorities, seen.counting, seen.pinned

    def counters(self) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(COUNTERS)
            rows = sorted(cursor.fetchall())
        return [
            (*row[:4], None if row[4] is None else row[4:]) for row in rows if row[1:] != UNTOUCHED
        ]

    def stored(self) -> dict[str, list[Any]]:
        decisions = map(_kept, DocumentDecision.objects.all())
        return {
            "customers": sorted(Customer.objects.values_list("key", "policy__name").order_by()),
            "policies": sorted(map(_terms, Policy.objects.all()), key=lambda terms: terms.name),
            "decisions": sorted(decisions, key=lambda answer: answer[:2]),
            "events": [_happening(event) for event in Event.objects.order_by("pk")],
        }


@contextmanager
def a_day_in_one_transaction() -> Iterator[Real]:
    """All that happens within it is undone, so that the next day begins with empty tables."""
    with _a_day() as real, transaction.atomic():
        yield real
        transaction.set_rollback(True)


@contextmanager
def a_day_of_commits() -> Iterator[Real]:
    """Each call has its own transaction, and what they stored is deleted in the end."""
    with _a_day() as real:
        try:
            yield real
        finally:
            with transaction.atomic(), connection.cursor() as cursor:
                for model in (DocumentDecision, Event, Counter, Customer, Policy):
                    cursor.execute(f"DELETE FROM {model._meta.db_table}")


@contextmanager
def _a_day() -> Iterator[Real]:
    with (
        override_settings(DOC_PRIORITY={}),
        testing.frozen_time(moment_of(START)) as time,
    ):
        yield Real(time)


Day = Callable[[], AbstractContextManager[Real]]


def tidy() -> None:
    """What was undone or deleted still lies in the tables, and is read past ever more slowly."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")


def moment_of(microseconds: int | None) -> Any:
    """Every other moment is told in another zone, which is the same moment."""
    if microseconds is None:
        return None
    moment = EPOCH + microseconds * MICROSECOND
    return moment.astimezone(ELSEWHERE) if microseconds % 2 else moment


def microseconds_of(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - EPOCH) // MICROSECOND


def _told(given: Any) -> Any:
    match given:
        case Decision():
            return _answer(given)
        case list():
            return [_told(one) for one in given]
        case Policy():
            return _terms(given)
    return given


def _answer(decision: Decision) -> Answer:
    return Answer(
        decision.customer,
        decision.document,
        decision.pending_documents,
        decision.priority,
        decision.pinned,
        decision.reset,
        decision.repeated,
        (decision.decided_at - EPOCH) // MICROSECOND,
        microseconds_of(decision.resets_at),
        decision.policy,
    )


def _kept(row: DocumentDecision) -> Answer:
    return Answer(
        row.customer_id,
        row.document,
        row.pending_documents,
        row.priority,
        row.pinned,
        row.reset,
        False,
        (row.decided_at - EPOCH) // MICROSECOND,
        microseconds_of(row.resets_at),
        row.policy,
    )


def _terms(policy: Policy) -> Terms:
    return Terms(policy.reset_interval, policy.recovery, tuple(policy.thresholds), policy.name)


def _happening(event: Event) -> Happening:
    before, after = (
        (told.get("pending_documents"), told.get("priority"))
        for told in (event.before, event.after)
    )
    moment = (event.created_at - EPOCH) // MICROSECOND
    words = event.actor, event.reason, event.source
    return Happening(event.customer, event.kind, *words, moment, before, after)
