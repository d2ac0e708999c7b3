"""Calls for many customers at once: none waits for another in a circle, and the sums are exact."""

import random
from functools import partial

import pytest

from doc_priority import rules, services
from doc_priority.models import Counter, Customer, DocumentDecision, Policy
from doc_priority.types import CounterState, Decision, PolicyTerms, Recovery
from doc_priority.validation import to_microseconds
from tests.concurrency.counting import Counted, assert_counted_exactly
from tests.concurrency.crowd import in_threads
from tests.vectors import START

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

THREADS = 8
CALLS = 25
KEYS = [f"customer-{number:02}" for number in range(20)]


def random_items(chance: random.Random) -> list[str | tuple[str, str]]:
    """Some customers, repeated and in any order, with and without documents."""
    keys = [chance.choice(KEYS) for _ in range(chance.randint(1, 40))]
    if chance.random() < 0.5:
        return list(keys)
    return [(key, f"D-{chance.randint(1, 60)}") if chance.random() < 0.7 else key for key in keys]


def calls(seed: int) -> list[Decision]:
    chance = random.Random(seed)
    return [
        decision for _ in range(CALLS) for decision in services.check_many(random_items(chance))
    ]


def test_overlapping_calls_do_not_deadlock_and_lose_nothing() -> None:
    decided = in_threads([partial(calls, seed) for seed in range(THREADS)])
    decisions = [decision for of_thread in decided for decision in of_thread]
    counted = [decision for decision in decisions if not decision.repeated]
    assert_counted_exactly(map(Counted.by, counted))
    named = {(one.customer, one.document): one for one in counted if one.document}
    assert len(named) == sum(bool(one.document) for one in counted)
    assert DocumentDecision.objects.count() == len(named)
    for repeated in decisions:
        if repeated.repeated:
            first = named[repeated.customer, repeated.document]
            assert repeated.pending_documents == first.pending_documents


def test_many_beside_single_checks_and_resets() -> None:
    """Whoever takes counters takes them in key order; nobody gets an error."""
    services.check_many(KEYS)

    def single(seed: int) -> None:
        chance = random.Random(seed)
        for number in range(CALLS * 4):
            document = f"{seed}-{number}" if chance.random() < 0.5 else ""
            services.check(chance.choice(KEYS), document=document)

    def resets(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(CALLS):
            services.reset_many(chance.sample(KEYS, 10), reason="test")

    works = [partial(work, seed) for work in (calls, single, resets) for seed in range(3)]
    in_threads(works)
    services.reset_many(KEYS)
    assert set(Counter.objects.values_list("pending_documents", flat=True)) == {0}


class OneAfterTheOther:
    """The rule in plain Python, a document at a time."""

    def __init__(self, terms: dict[str, PolicyTerms]) -> None:
        self.terms = terms
        self.states: dict[str, CounterState] = {}
        self.decided: dict[tuple[str, str], tuple[int, int]] = {}

    def check(self, item: str | tuple[str, str], now: int) -> tuple[int, int, bool]:
        key, document = (item, "") if isinstance(item, str) else item
        if (key, document) in self.decided:
            return (*self.decided[key, document], True)
        terms = self.terms.get(key, PolicyTerms())
        state = rules.check(self.states.get(key, CounterState()), terms, now)
        self.states[key] = state
        got = state.pending_documents, rules.priority_of(state.pending_documents, terms.thresholds)
        if document:
            self.decided[key, document] = got
        return (*got, False)


def policies() -> dict[str, PolicyTerms]:
    """A policy for each recovery, given to a customer each; the others have the default one."""
    named = {}
    for key, recovery in zip(KEYS, Recovery, strict=False):
        policy = Policy.objects.create(name=key, recovery=recovery, reset_interval=100)
        Customer.objects.create(key=key, policy=policy)
        named[key] = policy.terms
    return named


@pytest.mark.parametrize("seed", range(6))
def test_many_are_as_one_after_the_other(seed: int) -> None:
    chance = random.Random(seed)
    model = OneAfterTheOther(policies())
    now = to_microseconds(START)
    for _ in range(40):
        now += chance.choice([0, 1, 9_999_999, 10_000_000, 100_000_000, -50_000_000, 1_500_000_001])
        items = random_items(chance)[:12]
        moment = START + (now - to_microseconds(START)) * (START.resolution)
        got = [
            (one.pending_documents, one.priority, one.repeated)
            for one in services.check_many(items, at=moment)
        ]
        assert got == [model.check(item, now) for item in items], items
    stored = {row.customer_id: row.state for row in Counter.objects.all()}
    assert stored == model.states
