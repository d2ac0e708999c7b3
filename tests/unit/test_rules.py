"""The rule against its exact results, and against a model that does it step by step."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from doc_priority import rules
from doc_priority.types import FLOOR, SECOND, CounterState, PolicyTerms, Recovery
from doc_priority.validation import to_microseconds
from tests.vectors import PRIORITY_OF_COUNT, SEQUENCES, START

BASE = to_microseconds(START)


class Model:
    """The rule step by step: seconds as fractions, and one halving after the other."""

    def __init__(self, terms: PolicyTerms) -> None:
        self.terms = terms
        self.count = 0
        self.updated: Fraction | None = None
        self.recovered = Fraction(0)

    def is_over(self, now: Fraction) -> bool:
        """Whether the interval has passed, or none has begun."""
        interval = Fraction(self.terms.reset_interval)
        began = self.recovered if self.terms.recovery == "window" else self.updated
        return self.updated is None or now - self.updated > interval or now - began > interval

    def current(self, now: Fraction) -> tuple[int, Fraction]:
        """The counter at this time and when it last recovered, with nothing changed."""
        interval = Fraction(self.terms.reset_interval)
        if self.is_over(now):
            return 0, now
        count, recovered = self.count, self.recovered
        while self.terms.recovery == "halving" and now - recovered >= interval / 10:
            count, recovered = int(count / 2), recovered + interval / 10
        return count, recovered

    def check(self, now: Fraction) -> None:
        now = max(now, self.updated or now)
        over = self.is_over(now)
        count, self.recovered = self.current(now)
        self.count = 0 if over else count - 1
        self.updated = now

    def reset(self, now: Fraction) -> None:
        now = max(now, self.updated or now)
        self.count, self.updated, self.recovered = 0, now, now


def test_exact_results() -> None:
    for sequence in SEQUENCES:
        terms = PolicyTerms(sequence.reset_interval, Recovery(sequence.recovery))
        state = CounterState()
        for step in sequence.steps:
            now = to_microseconds(step.moment)
            if step.action == "check":
                state = shown = rules.check(state, terms, now)
            elif step.action == "reset":
                state = shown = rules.reset(state, now)
            else:
                shown = rules.peek(state, terms, now)
            priority = rules.priority_of(shown.pending_documents, terms.thresholds)
            assert (shown.pending_documents, priority) == step[2:], (sequence.name, step)

    for count, priority in PRIORITY_OF_COUNT.items():
        assert rules.priority_of(count, PolicyTerms().thresholds) == priority, count


policies = st.builds(
    PolicyTerms,
    reset_interval=st.sampled_from([10, 11, 1500, 86_400]),
    recovery=st.sampled_from(Recovery),
)
actions = st.lists(
    st.tuples(
        st.sampled_from(["check", "check", "check", "peek", "reset"]),
        st.one_of(
            st.integers(-5_000_000, 5_000_000),
            st.sampled_from([0, 1_000_000, 10_000_000, 10_000_001, 1_500_000_000, 1_500_000_001]),
            st.integers(0, 2_000_000_000),
        ),
    ),
    max_size=60,
)


@given(terms=policies, actions=actions)
def test_agrees_with_the_model(terms, actions) -> None:
    model, state, now = Model(terms), CounterState(), BASE
    for action, pause in actions:
        now += pause
        moment = Fraction(now, SECOND)
        if action == "check":
            state = rules.check(state, terms, now)
            model.check(moment)
        elif action == "reset":
            state = rules.reset(state, now)
            model.reset(moment)
        expected = model.current(max(moment, model.updated or moment))[0]
        assert rules.peek(state, terms, now).pending_documents == expected
        assert state.pending_documents == model.count


@given(terms=policies, actions=actions, documents=st.integers(1, 50))
def test_many_documents_are_as_good_as_one_after_the_other(terms, actions, documents) -> None:
    state, now = CounterState(), BASE
    for action, pause in actions:
        now += pause
        if action == "check":
            state = rules.check(state, terms, now)
    together = rules.check(state, terms, now, documents=documents)
    for _ in range(documents):
        state = rules.check(state, terms, now)
    assert together == state


@given(terms=policies, actions=actions)
def test_told_times_come_true(terms, actions) -> None:
    def priority_at(moment: int) -> int:
        seen = rules.peek(state, terms, moment)
        return rules.priority_of(seen.pending_documents, terms.thresholds)

    state, now = CounterState(), BASE
    for _, pause in actions:
        now += pause
        state = rules.check(state, terms, now)
        now = max(now, state.updated_at)
        here = rules.priority_of(state.pending_documents, terms.thresholds)
        back = rules.resets_at(state, terms)
        assert rules.peek(state, terms, back + 1).pending_documents == 0
        if state.pending_documents < 0:
            assert rules.peek(state, terms, back - 1).pending_documents < 0
        better = rules.improves_at(state, terms, now)
        if better is None:
            assert here == 1
            continue
        assert priority_at(better + 1) < here
        assert priority_at(better - 1) == here


@given(terms=policies)
def test_a_customer_never_seen(terms) -> None:
    never = CounterState()
    assert rules.peek(never, terms, BASE) == never
    assert not rules.is_counting(never, terms, BASE)
    assert rules.resets_at(never, terms) is None
    assert rules.improves_at(never, terms, BASE) is None
    assert rules.check(never, terms, BASE) == CounterState(0, BASE, BASE)


def test_the_counter_stops_at_the_floor() -> None:
    for recovery in Recovery:
        terms = PolicyTerms(recovery=recovery)
        low = CounterState(FLOOR + 1, BASE, BASE)
        for _ in range(3):
            low = rules.check(low, terms, BASE)
            assert low.pending_documents == FLOOR
        assert rules.check(low, terms, BASE, documents=10**6).pending_documents == FLOOR


def test_counting_ends_with_the_interval_or_when_halving_has_brought_it_to_zero() -> None:
    terms = PolicyTerms()
    state = rules.check(CounterState(), terms, BASE)
    assert rules.is_counting(state, terms, BASE + terms.interval)
    assert not rules.is_counting(state, terms, BASE + terms.interval + 1)

    terms = PolicyTerms(recovery=Recovery.HALVING)
    state = CounterState(-1, BASE, BASE)
    assert rules.is_counting(state, terms, BASE + terms.interval // 10 - 1)
    assert not rules.is_counting(state, terms, BASE + terms.interval // 10)

    # A priority may need several halvings to improve.
    state = CounterState(-100, BASE, BASE)
    # To -50 and -25, which are the worst priority still, and then to -12.
    assert rules.improves_at(state, terms, BASE) == BASE + 3 * terms.interval // 10


def test_a_depth_begins_where_the_count_has_doubled() -> None:
    for count, depth in [
        *((0, 0), (-20, 0), (-21, 0), (-41, 0), (-42, 1), (-83, 1), (-84, 2), (-10752, 9)),
        (FLOOR, 9),
    ]:
        assert rules.depth_of(count, PolicyTerms().thresholds) == depth, count


@given(st.integers(FLOOR, 0), st.integers(FLOOR, -7))
def test_the_depth_is_how_often_the_first_count_below_the_last_threshold_doubles(
    count, last
) -> None:
    doublings = 0
    while doublings < 9 and (last - 1) * 2 ** (doublings + 1) >= count:
        doublings += 1
    assert rules.depth_of(count, (*range(0, -7, -1), last)) == doublings
