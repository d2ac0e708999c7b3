"""Days of a portal as hypothesis invents them: the services do what an independent model does."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import override_settings
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.stateful import run_state_machine_as_test as run

from doc_priority import services
from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from doc_priority.services.pruning import prune
from doc_priority.testing import frozen_time, set_pending_documents
from doc_priority.types import Decision
from tests.proof.model import FLOOR, NO_END, SETTINGS, Answer, Portal, RefusedError, Terms

pytestmark = [pytest.mark.proof, pytest.mark.django_db(transaction=True), pytest.mark.timeout(0)]

START = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
"""Half an hour before clocks in Berlin go forward."""
AUTHOR = {"actor": "eve", "reason": "asked for it", "source": "model"}
MICROSECOND = timedelta(microseconds=1)
COUNTER = ("pending_documents", "updated_at", "recovered_at", "pinned_priority", "pinned_until")
LIVE = ("key", "pending_documents", "priority", "counting", "pinned", "pinned_until")
LIVE += ("updated_at", "resets_at")
DECISION = ("customer", *(name for name in Answer._fields[1:] if name != "repeated"))
EVENT = ("customer", "kind", "actor", "reason", "source", "created_at", "before", "after")

# Those that are easily mixed up among them.
keys = st.sampled_from(("acme", "Acme", "z" * 64))
documents = st.sampled_from(("d", "D", "d ", " d", "d%s", "ß", "ss", "文"))
names = st.sampled_from(("gold|1", "gold|1 ", "%s;'", "Größe"))
policies = st.none() | names
terms = {
    "reset_interval": st.sampled_from((10, 97, 1500, 1500, 86_400, 31_536_000)),
    "recovery": st.sampled_from(("idle", "window", "halving")),
    "thresholds": st.sampled_from((SETTINGS["THRESHOLDS"], (-1, -2, -4, -8, -16, -32, -64, -128)))
    | st.sets(st.integers(-40, 0), min_size=8, max_size=8).map(
        lambda some: tuple(sorted(some, reverse=True))
    ),
}
items = st.lists(keys | st.tuples(keys, documents | st.just("")), max_size=12) | st.lists(keys)
some_keys = st.lists(keys, max_size=4)
counts = st.sampled_from((FLOOR, FLOOR + 1, FLOOR + 2, -(2**20), -21)) | st.integers(-20, 0)
retentions = st.sampled_from((1, 2, 30))
sizes = st.sampled_from((1, 2, 1000))
ends = st.none() | st.sampled_from((0, 1, 10**6, 10**9, 10**10, 10**11, 10**12, 10**13))

# When something changes for a customer: the next time, …, last of all its pin ends; or nearly then.
edges = st.tuples(st.sampled_from((0, -1, 1, 2)), st.sampled_from((0, 0, 0, -1, 1)))
moments = edges | st.integers(-(10**9), 10**9)
later = edges | edges.filter(lambda edge: edge[1] == 0) | st.integers(0, 60 * 10**6)


class Day(RuleBasedStateMachine):
    """Each step is done by the services and by the model; then all there is to see is compared."""

    def __init__(self) -> None:
        super().__init__()
        for table in (DocumentDecision, Event, Counter, Customer, Policy):
            table.objects.all().delete()
        self.model = Portal(START)
        self.steps = 0
        self.stack = ExitStack()
        self.stack.enter_context(override_settings(DOC_PRIORITY={}))
        self.time = self.stack.enter_context(frozen_time(START))

    def teardown(self) -> None:
        self.stack.close()

    def both(self, service: str, /, *given: Any, **options: Any) -> None:
        """The services and the model are asked for the same, and the same comes of it."""
        model = outcome(getattr(self.model, service), given, options)
        assert outcome(getattr(services, service), given, options) == model

    def moment(self, key: str, when: Any) -> datetime:
        """Some microseconds from now, or at the edge of what holds for this customer."""
        one, now = self.model.customers.get(key), self.model.now
        if isinstance(when, int):
            return now + when * MICROSECOND
        if one is None or one.updated is None or one.recovered is None:
            return now
        terms = self.model.terms_of(one)
        edges = {one.updated + terms.interval, one.recovered + terms.interval}
        if terms.recovery == "halving":
            tenths = (one.clock(now) - one.recovered) // (terms.interval / 10)
            edges |= {one.recovered + terms.interval * (tenths + more) / 10 for more in (1, 4)}
        ahead = sorted(edge for edge in edges if edge > now) or [now]
        if one.is_pinned(now) and one.pin[1] != NO_END:
            ahead.append(one.pin[1])
        number, nudge = when
        return ahead[number % len(ahead)] + nudge * MICROSECOND

    def move(self, moment: datetime) -> None:
        self.model.now = moment
        self.time.move_to(moment)

    def wait(self, key: str, when: Any) -> None:
        self.move(max(self.moment(key, when), self.model.now))

    @rule(key=keys, when=moments)
    def clock_goes_to(self, key: str, when: Any) -> None:
        self.move(self.moment(key, when))

    @rule(days=st.sampled_from((1, 1, 2, 30)), nudge=st.integers(-1, 1), batch_size=sizes)
    def days_go_by(self, days: int, nudge: int, batch_size: int) -> None:
        """What was stored first is exactly so many days old, or nearly; what is too old goes."""
        stored = [answer.decided_at for answer in self.model.decisions()]
        stored += [event.created_at for event in self.model.events]
        moment = min(stored, default=self.model.now) + timedelta(days=days) + nudge * MICROSECOND
        self.move(max(moment, self.model.now))
        sums = [(0, 0), *map(astuple, prune(batch_size=batch_size, busy_percent=100))]
        assert sums[-1] == self.model.prune()

    @initialize(
        terms=st.tuples(*(st.fixed_dictionaries(terms) for _ in range(3))),
        customers=st.dictionaries(keys, policies, min_size=2),
    )
    def somebody_is_there(self, terms: tuple[Any, ...], customers: dict[str, str]) -> None:
        for name, told in zip(("gold|1", "gold|1 ", "Größe"), terms, strict=True):
            self.both("create_policy", name, **told, **AUTHOR)
        for key, policy in customers.items():
            self.both("create_customer", key, policy=policy)

    @rule(key=keys, when=later, times=st.just(1) | st.integers(1, 25))
    def check(self, key: str, when: Any, times: int) -> None:
        self.wait(key, when)
        for _ in range(times):
            self.both("check", key)

    @rule(key=keys, document=documents | st.just(""), when=later, must_exist=st.booleans())
    def check_document(self, key: str, document: str, when: Any, must_exist: bool) -> None:
        self.wait(key, when)
        self.both("check", key, document=document, must_exist=must_exist)

    @rule(key=keys, when=moments)
    def check_at(self, key: str, when: Any) -> None:
        self.both("check", key, at=self.moment(key, when))

    @rule(items=items, key=keys, when=later, must_exist=st.booleans())
    def check_many(self, items: Any, key: str, when: Any, must_exist: bool) -> None:
        self.wait(key, when)
        self.both("check_many", items, must_exist=must_exist)

    @rule(items=items, key=keys, when=moments)
    def check_many_at(self, items: Any, key: str, when: Any) -> None:
        self.both("check_many", items, at=self.moment(key, when))

    @rule(key=keys, count=counts, ago=st.just(0) | st.integers(0, 10**9), more=st.integers(0, 3))
    def put(self, key: str, count: int, ago: int, more: int) -> None:
        """Where counting would take too long to arrive, or right beside a threshold."""
        at = self.model.now - ago * MICROSECOND
        set_pending_documents(key, count, at=at)
        self.model.put(key, count, at)
        self.check(key, 0, more)

    @rule(keys=some_keys | keys, key=keys, when=moments)
    def reset(self, keys: Any, key: str, when: Any) -> None:
        name = "reset" if isinstance(keys, str) else "reset_many"
        self.both(name, keys, at=self.moment(key, when), **AUTHOR)

    @rule(keys=some_keys | keys, priority=st.integers(1, 9), until=ends)
    def pin(self, keys: Any, priority: int, until: int | None) -> None:
        end = None if until is None else self.moment("", until)
        name = "pin" if isinstance(keys, str) else "pin_many"
        self.both(name, keys, priority=priority, until=end, **AUTHOR)

    @rule(keys=some_keys | keys)
    def unpin(self, keys: Any) -> None:
        self.both("unpin" if isinstance(keys, str) else "unpin_many", keys, **AUTHOR)

    @rule(key=keys, policy=policies, leaves=st.sampled_from((False, False, False, True)))
    def create_or_forget(self, key: str, policy: str | None, leaves: bool) -> None:
        if leaves:
            self.both("forget", key, **AUTHOR)
        else:
            self.both("create_customer", key, policy=policy)

    @rule(key=keys, policy=policies)
    def set_policy(self, key: str, policy: str | None) -> None:
        self.both("set_policy", key, policy=policy, **AUTHOR)

    @rule(name=names, terms=st.none() | st.fixed_dictionaries(terms))
    def create_or_delete_policy(self, name: str, terms: dict[str, Any] | None) -> None:
        if terms is None:
            self.both("delete_policy", name, **AUTHOR)
        else:
            self.both("create_policy", name, **terms, **AUTHOR)

    @rule(name=names, terms=st.fixed_dictionaries({}, optional=terms))
    def change_policy(self, name: str, terms: dict[str, Any]) -> None:
        self.both("change_policy", name, **terms, **AUTHOR)

    @rule(terms=st.fixed_dictionaries({}, optional=terms), create=st.booleans(), days=retentions)
    def change_settings(self, terms: dict[str, Any], create: bool, days: int) -> None:
        values: dict[str, Any] = {name.upper(): value for name, value in terms.items()}
        values |= {"CREATE_CUSTOMERS": create}
        values |= {"DOCUMENT_RETENTION_DAYS": days, "EVENT_RETENTION_DAYS": 2}
        self.model.settings = SETTINGS | values
        self.stack.enter_context(override_settings(DOC_PRIORITY=values))

    @rule(key=keys, when=moments)
    def look_at(self, key: str, when: Any) -> None:
        """At another time than now, and told in another zone, which is the same moment."""
        at = self.moment(key, when)
        self.both("peek", key, at=at.astimezone(ZoneInfo("Europe/Berlin")))
        assert live_list(at) == self.model.live(at)

    @invariant()
    def live_list_and_peeks_are_the_models(self) -> None:
        for key in self.model.customers:
            self.both("peek", key)
        self.steps += 1
        if self.steps % 5 == 0:  # It takes longer than all the rest.
            assert live_list(None) == self.model.live()

    @invariant()
    def all_that_is_stored_is_the_models(self) -> None:
        customers = [one for _, one in sorted(self.model.customers.items())]
        rows = Customer.objects.values_list("key", "policy__name")
        assert sorted(rows) == [(one.key, one.policy) for one in customers]
        counters = Counter.objects.values_list("customer", *COUNTER)
        # A counter that was never touched is as good as none.
        assert sorted(row for row in counters if row[1:] != (0, None, None, None, None)) == [
            (one.key, one.count, one.updated, one.recovered, *(one.pin or (None, None)))
            for one in customers
            if one.updated or one.pin
        ]
        assert sorted(map(told, Policy.objects.all())) == sorted(self.model.policies.values())
        kept = [(*answer[:6], *answer[7:]) for answer in self.model.decisions()]
        assert sorted(DocumentDecision.objects.values_list(*DECISION)) == sorted(kept)
        assert list(Event.objects.order_by("pk").values_list(*EVENT)) == self.model.events


def outcome(call: Callable[..., Any], given: Any, options: dict[str, Any]) -> Any:
    """What it gives, or the name of the error that it raises on purpose."""
    try:
        return told(call(*given, **options))
    except DocPriorityError as error:
        return type(error).__name__
    except RefusedError as error:
        return str(error)


def told(given: Any) -> Any:
    """In the model's terms."""
    match given:
        case Decision():
            return Answer(*astuple(given))
        case Policy():
            return Terms(given.reset_interval, given.recovery, tuple(given.thresholds), given.name)
        case Customer():
            return given.key, given.policy and given.policy.name
        case list():
            return [told(one) for one in given]
    return given


def live_list(at: datetime | None) -> list[tuple[Any, ...]]:
    return sorted(Customer.objects.live(at).values_list(*LIVE))


def test_the_services_do_what_the_model_does(full: bool) -> None:
    """In the short form the same days each time; hypothesis names the fewest steps that differ."""
    days = 80 if connection.vendor == "sqlite" else 30
    run(
        Day,
        settings=settings(
            max_examples=2_000 if full else days,
            stateful_step_count=200 if full else 50,
            derandomize=not full,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
