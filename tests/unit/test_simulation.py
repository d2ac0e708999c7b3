"""The simulator: its clock, its queues and what it makes of them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doc_priority.exceptions import InvalidInput
from doc_priority.rules import depth_of
from doc_priority.simulation import (
    FIRST_COME,
    ROUND_ROBIN,
    Again,
    Arrivals,
    AtOnce,
    AtRandom,
    Discipline,
    Kind,
    Scenario,
    Simulation,
    by_priority,
)
from doc_priority.simulation.playing import Played, play
from doc_priority.simulation.queues import NO_PRIORITY
from doc_priority.types import SECOND, PolicyTerms, Recovery
from doc_priority.validation import to_microseconds
from tests.vectors import SEQUENCES, Sequence

MINUTE = 60 * SECOND
SERVICE = 7
TERMS = PolicyTerms(10)
DISCIPLINES = [
    FIRST_COME,
    ROUND_ROBIN,
    *(by_priority(PolicyTerms(10, one)) for one in Recovery),
    by_priority(TERMS, levels_only=True),
]

every_discipline = pytest.mark.parametrize("discipline", DISCIPLINES, ids=lambda one: one.name)
some_arrivals = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 3)), min_size=1, max_size=60
).map(sorted)
some_workers = st.integers(1, 4)


def arrivals_of(sent: list[tuple[int, int]]) -> Arrivals:
    kind = Kind("any", 4, AtOnce(1, 0))
    moments, customers = zip(*sent, strict=True)
    return Arrivals((kind,), list(moments), list(customers), [0] * 4)


def played(sent: list[tuple[int, int]], discipline: Discipline, workers: int = 1) -> Played:
    return play(arrivals_of(sent), discipline.queue(), workers=workers, service=SERVICE)


def busy_at(moment: int, starts: list[int]) -> int:
    return sum(start <= moment < start + SERVICE for start in starts)


def levels(sent: list[tuple[int, int]], starts: Played) -> list[tuple[int, int]]:
    """Priority and depth of each document under TERMS, whose interval never ends here."""
    counts = [1] * 4
    found = []
    for (_, customer), priority in zip(sent, starts.priorities, strict=True):
        counts[customer] -= 1
        depth = depth_of(counts[customer], TERMS.thresholds) if priority == 9 else 0
        found.append((priority, depth))
    return found


@every_discipline
@given(sent=some_arrivals, workers=some_workers)
def test_every_document_is_begun_once_and_not_before_it_came(discipline, sent, workers):
    starts = played(sent, discipline, workers).starts
    assert all(start >= moment for start, (moment, _) in zip(starts, sent, strict=True))
    assert all(busy_at(start, starts) <= workers for start in starts)
    assert max(starts) < max(moment for moment, _ in sent) + SERVICE * len(sent)


@every_discipline
@given(sent=some_arrivals, workers=some_workers)
def test_no_worker_is_idle_while_a_document_waits(discipline, sent, workers):
    starts = played(sent, discipline, workers).starts
    for start, (moment, _) in zip(starts, sent, strict=True):
        assert all(busy_at(waiting, starts) == workers for waiting in range(moment, start))


@every_discipline
@given(sent=some_arrivals, workers=some_workers)
def test_no_discipline_gets_more_done_than_another(discipline, sent, workers):
    expected = played(sent, FIRST_COME, workers).starts
    assert sorted(played(sent, discipline, workers).starts) == sorted(expected)


@given(sent=some_arrivals, workers=some_workers)
def test_first_come_first_served(sent, workers):
    found = played(sent, FIRST_COME, workers)
    assert found.starts == sorted(found.starts)
    assert set(found.priorities) == {NO_PRIORITY}


@given(sent=some_arrivals)
def test_round_robin_takes_nobody_twice_while_another_waits(sent):
    starts = played(sent, ROUND_ROBIN).starts
    for first, second in pairwise(sorted(range(len(sent)), key=starts.__getitem__)):
        passed_over = [
            other
            for other, (moment, customer) in enumerate(sent)
            if customer != sent[first][1]
            and moment < starts[first]
            and starts[other] > starts[second]
        ]
        assert sent[first][1] != sent[second][1] or not passed_over


@pytest.mark.parametrize("levels_only", [False, True])
@given(sent=some_arrivals, workers=some_workers)
def test_the_best_level_that_waits_goes_first(levels_only, sent, workers):
    discipline = by_priority(TERMS, levels_only=levels_only)
    found = played(sent, discipline, workers)
    ranks = [
        (priority, 0 if levels_only else depth, number)
        for number, (priority, depth) in enumerate(levels(sent, found))
    ]
    for number, start in enumerate(found.starts):
        for other, (moment, _) in enumerate(sent):
            if moment < start < found.starts[other]:
                assert ranks[number] < ranks[other]


def test_depth_tells_customers_apart_within_nine():
    sent = [(0, 0)] * 400 + [(1, 1)] * 25
    deep = played(sent, by_priority(TERMS)).starts
    flat = played(sent, by_priority(TERMS, levels_only=True)).starts
    assert deep[-1] < deep[399]
    assert flat[-1] > flat[399]


@pytest.mark.parametrize(
    "sequence",
    [one for one in SEQUENCES if all(step.action != "reset" for step in one.steps)],
    ids=str,
)
def test_priorities_are_those_of_the_rule(sequence: Sequence):
    terms = PolicyTerms(sequence.reset_interval, Recovery(sequence.recovery))
    queue = by_priority(terms).queue()
    checks = [step for step in sequence.steps if step.action == "check"]
    assert checks
    for number, step in enumerate(checks):
        assert queue.put(number, 0, to_microseconds(step.moment)) == step.priority


SMALL = Scenario(
    (
        Kind("flood", 1, AtOnce(300, 5 * MINUTE)),
        Kind("quiet", 5, AtRandom(2, MINUTE)),
        Kind("rare", 2, Again(3, 20 * MINUTE)),
    ),
    length=60 * MINUTE,
)


def test_the_same_seed_gives_the_same():
    again = Scenario(SMALL.kinds, length=SMALL.length)
    other = Scenario(SMALL.kinds, length=SMALL.length, seed=2)
    assert again.arrivals == SMALL.arrivals
    assert again.arrivals != other.arrivals
    outcome = Simulation(SMALL).outcome(DISCIPLINES[2])
    assert Simulation(again).outcome(DISCIPLINES[2]) == outcome
    assert Simulation(other).outcome(DISCIPLINES[2]) != outcome


def test_another_kind_leaves_those_before_it_alone():
    kinds = (*SMALL.kinds, Kind("more", 3, AtRandom(1, MINUTE)))
    more = Scenario(kinds, length=SMALL.length).arrivals
    sent = zip(more.moments, more.customers, strict=True)
    mine = [(moment, customer) for moment, customer in sent if customer < 8]
    assert mine == list(zip(SMALL.arrivals.moments, SMALL.arrivals.customers, strict=True))


def test_patterns():
    arrivals = SMALL.arrivals
    flood = [m for m, c in zip(arrivals.moments, arrivals.customers, strict=True) if c == 0]
    rare = [m for m, c in zip(arrivals.moments, arrivals.customers, strict=True) if c == 6]
    quiet = [m for m, c in zip(arrivals.moments, arrivals.customers, strict=True) if 1 <= c <= 5]
    assert flood == [5 * MINUTE] * 300
    assert rare[::3] == [rare[0], rare[0] + 20 * MINUTE, rare[0] + 40 * MINUTE]
    assert (len(rare), rare[0]) == (9, rare[2])
    assert 500 < len(quiet) < 700
    assert arrivals.moments == sorted(arrivals.moments)
    assert all(0 <= moment < SMALL.length for moment in arrivals.moments)


def test_a_drop_after_the_end_does_not_come():
    late = Kind("late", 1, AtOnce(9, 60 * MINUTE))
    early = Kind("early", 1, AtOnce(1, 0))
    scenario = Scenario((late, early), length=60 * MINUTE)
    outcome = Simulation(scenario).outcome(FIRST_COME)
    assert [kind.kind for kind in outcome.kinds] == ["early"]
    assert outcome.jain == 1.0


def test_the_load_is_what_the_documents_need_of_the_time():
    kinds = (Kind("one", 1, AtOnce(90, 0)),)
    assert Scenario(kinds, workers=2, service=SECOND, length=MINUTE).load == 0.75


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"workers": 0}, "0 workers; a simulation takes 1 to 10,000"),
        ({"workers": 10_001}, "10,001 workers"),
        ({"service": 0}, "0 microseconds"),
        ({"service": 86_400 * SECOND + 1}, "microseconds"),
        ({"kinds": ()}, "0 customers"),
        ({"kinds": (Kind("a", 100_001, AtOnce(1, 0)),)}, "100,001 customers"),
        ({"kinds": (Kind("a", 2, AtOnce(1_000_001, 0)),)}, "2,000,002 documents; .* 2,000,000"),
        ({"kinds": (Kind("a", 1, AtRandom(1, 1)),)}, "43,200,000,000 documents"),
        ({"kinds": (Kind("a", 1, Again(2_000_001, MINUTE)),)}, "documents"),
        ({"kinds": (Kind("a", 1, AtOnce(1, 0)),) * 2}, "Two kinds of customers are called 'a'"),
    ],
)
def test_what_is_too_much_is_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        Scenario(**change)


def test_nobody_sends_anything():
    """Of 366 such scenarios with a document that comes once a year about one has any."""
    nothing = Scenario((Kind("a", 1, Again(1, 366 * 86_400 * SECOND)),))
    with pytest.raises(InvalidInput, match="No customer sends a document"):
        Simulation(nothing)


def test_kinds_measured():
    kind = Kind("any", 4, AtOnce(25, 0))
    simulation = Simulation(Scenario((kind,), workers=1, service=SECOND, length=1))
    outcome = simulation.outcome(FIRST_COME)
    (found,) = outcome.kinds
    assert (found.customers, found.documents) == (4, 100)
    assert (found.median, found.p95, found.p99, found.longest) == (
        *(49 * SECOND, 94 * SECOND, 98 * SECOND, 99 * SECOND),
    )
    assert (outcome.makespan, outcome.documents_per_hour) == (100 * SECOND, 3600)
    assert found.worst_share is None
    under = simulation.outcome(by_priority(PolicyTerms()))
    assert under.kind("any").worst_share == 4 * (25 - 21) / 100


def test_jain_says_how_many_of_them_are_served_well():
    """One customer's drop stands before three others' single documents."""
    kinds = (Kind("flood", 1, AtOnce(1_000, 0)), Kind("one", 3, AtOnce(1, 1)))
    simulation = Simulation(Scenario(kinds, workers=1, service=SECOND, length=2))
    assert simulation.outcome(ROUND_ROBIN).jain == 1.0
    assert simulation.outcome(FIRST_COME).jain == pytest.approx(1 / 4, rel=0.05)
    assert simulation.outcome(by_priority(PolicyTerms())).jain > 0.85


def test_only_halving_does_for_the_quiet_ones_what_a_fair_order_would():
    """Two workers, 95 % load, one customer who drops 5,000, fifty at one a minute."""
    simulation = Simulation(Scenario(length=4 * 60 * MINUTE))
    policies = [by_priority(PolicyTerms(recovery=one), levels_only=True) for one in Recovery]
    outcomes = [simulation.outcome(one) for one in (FIRST_COME, ROUND_ROBIN, *policies)]
    waits = [outcome.kind("quiet").p95 / SECOND for outcome in outcomes]
    first_come, fair, idle, window, halving = waits
    assert halving <= fair < 0.4
    assert fair * 100 < window < idle < first_come * 1.05
    assert idle > first_come * 0.9
    assert len({round(outcome.documents_per_hour) for outcome in outcomes}) == 1
    assert outcomes[0].jain < 0.05 < 0.99 < outcomes[-1].jain
    shares = [outcome.kind("quiet").worst_share for outcome in outcomes]
    assert shares[:2] == [None, None]
    assert shares[2] > 0.85 > 0.3 > shares[3] > 0.1 > shares[4] == 0
