"""The simulator: its clock, its queues and its figures."""

import re
from itertools import pairwise
from xml.etree import ElementTree

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
from doc_priority.simulation.disciplines import NO_PRIORITY, Played, play
from doc_priority.simulation.drawing import LEFT, RIGHT, WIDTH, drawing_of
from doc_priority.simulation.measures import in_seconds
from doc_priority.types import SECOND, PolicyTerms, Recovery
from doc_priority.validation import to_microseconds
from tests.vectors import SEQUENCES

MINUTE = 60 * SECOND
SERVICE = 7
TERMS = PolicyTerms(10)
DISCIPLINES = [
    FIRST_COME,
    ROUND_ROBIN,
    *(by_priority(PolicyTerms(10, one)) for one in Recovery),
    by_priority(TERMS, levels_only=True),
]

some_arrivals = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 3)), min_size=1, max_size=60
).map(sorted)
some_workers = st.integers(1, 4)


def played(sent: list[tuple[int, int]], discipline: Discipline, workers: int = 1) -> Played:
    moments, customers = zip(*sent, strict=True)
    kinds = (Kind("any", 4, AtOnce(1, 0)),)
    arrivals = Arrivals(kinds, list(moments), list(customers), [0] * 4)
    return play(arrivals, discipline.queue(), workers=workers, service=SERVICE)


@given(sent=some_arrivals, workers=some_workers)
def test_every_document_is_begun_once_and_no_worker_is_idle(sent, workers) -> None:
    def busy_at(moment: int) -> int:
        return sum(start <= moment < start + SERVICE for start in starts)

    first_come = played(sent, FIRST_COME, workers)
    assert first_come.starts == sorted(first_come.starts)
    assert set(first_come.priorities) == {NO_PRIORITY}
    for discipline in DISCIPLINES:
        starts = played(sent, discipline, workers).starts
        assert all(busy_at(start) <= workers for start in starts), discipline.name
        assert max(starts) < max(moment for moment, _ in sent) + SERVICE * len(sent)
        for start, (moment, _) in zip(starts, sent, strict=True):
            assert start >= moment, discipline.name
            assert all(busy_at(waiting) == workers for waiting in range(moment, start))
        # No discipline gets more done than another.
        assert sorted(starts) == sorted(first_come.starts), discipline.name


@given(sent=some_arrivals)
def test_round_robin_takes_nobody_twice_while_another_waits(sent) -> None:
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


@given(sent=some_arrivals, workers=some_workers)
def test_the_best_level_that_waits_goes_first(sent, workers) -> None:
    """Priority and depth of each document under TERMS, whose interval never ends here."""
    for levels_only in (False, True):
        found = played(sent, by_priority(TERMS, levels_only=levels_only), workers)
        counts, ranks = [1] * 4, []
        for (_, customer), priority in zip(sent, found.priorities, strict=True):
            counts[customer] -= 1
            deep = priority == 9 and not levels_only
            depth = depth_of(counts[customer], TERMS.thresholds) if deep else 0
            ranks.append((priority, depth, len(ranks)))
        for number, start in enumerate(found.starts):
            for other, (moment, _) in enumerate(sent):
                if moment < start < found.starts[other]:
                    assert ranks[number] < ranks[other]


def test_priorities_are_those_of_the_rule_and_depth_tells_apart_within_nine() -> None:
    sent = [(0, 0)] * 400 + [(1, 1)] * 25
    deep = played(sent, by_priority(TERMS)).starts
    flat = played(sent, by_priority(TERMS, levels_only=True)).starts
    assert deep[-1] < deep[399]
    assert flat[-1] > flat[399]

    for sequence in SEQUENCES:
        if all(step.action != "reset" for step in sequence.steps):
            terms = PolicyTerms(sequence.reset_interval, Recovery(sequence.recovery))
            queue = by_priority(terms).queue()
            checks = [step for step in sequence.steps if step.action == "check"]
            assert checks
            for number, step in enumerate(checks):
                found = queue.put(number, 0, to_microseconds(step.moment))
                assert found == step.priority, (sequence.name, step)


SMALL = Scenario(
    (
        Kind("flood", 1, AtOnce(300, 5 * MINUTE)),
        Kind("quiet", 5, AtRandom(2, MINUTE)),
        Kind("rare", 2, Again(3, 20 * MINUTE)),
    ),
    length=60 * MINUTE,
)


def test_arrivals_come_in_patterns_and_with_the_same_seed_are_the_same() -> None:
    """And another kind of customers does not change those before it."""
    again = Scenario(SMALL.kinds, length=SMALL.length)
    other = Scenario(SMALL.kinds, length=SMALL.length, seed=2)
    assert again.arrivals == SMALL.arrivals
    assert again.arrivals != other.arrivals
    outcome = Simulation(SMALL).outcome(DISCIPLINES[2])
    assert Simulation(again).outcome(DISCIPLINES[2]) == outcome
    assert Simulation(other).outcome(DISCIPLINES[2]) != outcome

    kinds = (*SMALL.kinds, Kind("more", 3, AtRandom(1, MINUTE)))
    more = Scenario(kinds, length=SMALL.length).arrivals
    sent = zip(more.moments, more.customers, strict=True)
    mine = [(moment, customer) for moment, customer in sent if customer < 8]
    assert mine == list(zip(SMALL.arrivals.moments, SMALL.arrivals.customers, strict=True))

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


def test_a_drop_after_the_end_does_not_come_and_the_load_is_what_the_documents_need() -> None:
    late = Kind("late", 1, AtOnce(9, 60 * MINUTE))
    early = Kind("early", 1, AtOnce(1, 0))
    scenario = Scenario((late, early), length=60 * MINUTE)
    outcome = Simulation(scenario).outcome(FIRST_COME)
    assert [kind.kind for kind in outcome.kinds] == ["early"]
    assert outcome.jain == 1.0

    kinds = (Kind("one", 1, AtOnce(90, 0)),)
    assert Scenario(kinds, workers=2, service=SECOND, length=MINUTE).load == 0.75


def test_what_is_too_much_is_refused_and_what_is_nothing() -> None:
    for change, message in [
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
    ]:
        with pytest.raises(InvalidInput, match=message):
            Scenario(**change)

    # Of 366 such scenarios with a document that comes once a year about one has any.
    nothing = Scenario((Kind("a", 1, Again(1, 366 * 86_400 * SECOND)),))
    with pytest.raises(InvalidInput, match="No customer sends a document"):
        Simulation(nothing)


def test_kinds_measured() -> None:
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

    # Jain's index says how many are served well: a drop stands before three single documents.
    kinds = (Kind("flood", 1, AtOnce(1_000, 0)), Kind("one", 3, AtOnce(1, 1)))
    simulation = Simulation(Scenario(kinds, workers=1, service=SECOND, length=2))
    assert simulation.outcome(ROUND_ROBIN).jain == 1.0
    assert simulation.outcome(FIRST_COME).jain == pytest.approx(1 / 4, rel=0.05)
    assert simulation.outcome(by_priority(PolicyTerms())).jain > 0.85


def test_only_halving_does_for_the_quiet_ones_what_a_fair_order_would() -> None:
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


# The picture of the waits: a file by itself, and everything in it also as text.


def test_the_drawing() -> None:
    svg = "{http://www.w3.org/2000/svg}"
    kinds = (Kind("flood", 1, AtOnce(500, 0)), Kind("one", 3, AtOnce(1, 1)))
    simulation = Simulation(Scenario(kinds, workers=1, service=SECOND, length=2))
    outcomes = [simulation.outcome(FIRST_COME), simulation.outcome(ROUND_ROBIN)]
    text = drawing_of(outcomes, title="Waits of <one> & all", subtitle="One worker.")
    drawing = ElementTree.fromstring(text)  # noqa: S314 - our own file

    assert drawing.get("role") == "img"
    assert drawing.get("aria-labelledby") == "t d"
    title, description = drawing.find(f"{svg}title"), drawing.find(f"{svg}desc")
    assert (title.get("id"), title.text) == ("t", "Waits of <one> & all")
    assert description.get("id") == "d"
    assert description.text.startswith("One worker. flood, first come, first served: median 249 s,")
    assert "one, round robin: median 3.00 s, 95 % 4.00 s, 99 % 4.00 s." in description.text

    # Values are written out.
    found = [one.text or "" for one in drawing.iter(f"{svg}text")]
    assert "flood (1 customer, 500 documents)" in found
    assert "one (3 customers, 3 documents)" in found
    assert found.count("round robin") == 2
    assert {"249 s", "3.00 s", "4.00 s"} <= set(found)

    # Everything lies within the picture.
    _, _, width, height = map(int, drawing.get("viewBox").split())
    assert width == WIDTH
    for one in drawing.iter():
        for name, most in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(one.get(name, 0)) <= most

    # It is alone, and has colours for the dark.
    text = ElementTree.tostring(drawing, encoding="unicode")
    assert "prefers-color-scheme: dark" in text
    assert not re.search(r"(href|url\(|@import|<script)", text)


def test_the_scale_goes_up_by_powers_of_ten() -> None:
    def drawn(documents: int) -> tuple[dict[str, float], list[float]]:
        """The places of the ticks, and of the dots of one customer who sends all at once."""
        kinds = (Kind("all", 1, AtOnce(documents, 0)),)
        scenario = Scenario(kinds, workers=1, service=SECOND, length=1)
        outcome = Simulation(scenario).outcome(FIRST_COME)
        drawing = ElementTree.fromstring(drawing_of([outcome], title="", subtitle=""))  # noqa: S314
        texts = [one for one in drawing.iter() if one.get("class") == "soft mid"]
        dots = [float(one.get("cx")) for one in drawing.iter() if one.get("cx")]
        return {str(one.text): float(one.get("x")) for one in texts}, dots

    ticks, dots = drawn(200)
    assert list(ticks) == ["1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s", "1,000 s"]
    assert list(ticks.values()) == [LEFT + 68 * number for number in range(7)]
    assert ticks["1,000 s"] == RIGHT
    assert ticks["10 s"] < min(dots) < ticks["100 s"] < max(dots)
    # Who does not wait is drawn where the scale begins.
    assert drawn(1) == ({"1 ms": LEFT, "10 ms": LEFT + 204, "100 ms": RIGHT}, [LEFT] * 3)

    # Seconds are shown to three figures.
    for microseconds, shown in [
        (0, "0.000 s"),
        (188_649, "0.189 s"),
        (2_400_000, "2.40 s"),
        (47_250_000, "47.2 s"),
        (473_017_387, "473 s"),
        (12_356_000_000, "12,356 s"),
    ]:
        assert in_seconds(microseconds) == shown
