"""The rule: what a check, a peek and a reset make of a counter, and which priority follows.

Nothing here reads a clock, a setting or a database; times are whole microseconds since 1970.
"""

from bisect import bisect_right

from doc_priority.types import (
    BEST_PRIORITY,
    FLOOR,
    WORST_PRIORITY,
    CounterState,
    Pin,
    PolicyTerms,
    Recovery,
)

TENTHS = 10
"""Under halving the counter halves once for every full tenth of the interval."""

DEEPEST = 9
"""The last of the ten depths within the worst priority."""


def priority_of(pending_documents: int, thresholds: tuple[int, ...]) -> int:
    """The priority of a count: 1, and one worse for each threshold that the count is below."""
    return WORST_PRIORITY - bisect_right(thresholds[::-1], pending_documents)


def depth_of(pending_documents: int, thresholds: tuple[int, ...]) -> int:
    """How far below the last threshold a count is: one deeper whenever it doubles, at most 9.

    Within the worst priority this separates a customer with a few documents too many from one that
    dropped thousands. It is 0 above the last threshold and just below it.
    """
    doublings = (-pending_documents // (1 - thresholds[-1])).bit_length() - 1
    return min(max(doublings, 0), DEEPEST)


def check(state: CounterState, terms: PolicyTerms, now: int, *, documents: int = 1) -> CounterState:
    """The counter after this many documents came in at the same time."""
    now = _never_back(state, now)
    if _is_over(state, terms, now):
        return CounterState(max(1 - documents, FLOOR), now, now)
    recovered = _halved(state, terms, now)
    return CounterState(
        max(recovered.pending_documents - documents, FLOOR), now, recovered.recovered_at
    )


def peek(state: CounterState, terms: PolicyTerms, now: int) -> CounterState:
    """The counter as it stands now; nothing is counted."""
    now = _never_back(state, now)
    if _is_over(state, terms, now):
        return CounterState(0, state.updated_at, state.recovered_at)
    return _halved(state, terms, now)


def reset(state: CounterState, now: int) -> CounterState:
    """The counter put to 0 by hand; this counts as an update."""
    now = _never_back(state, now)
    return CounterState(0, now, now)


def is_counting(state: CounterState, terms: PolicyTerms, now: int) -> bool:
    """Whether the interval is still running; under halving, whether the counter is below 0, too."""
    now = _never_back(state, now)
    if _is_over(state, terms, now):
        return False
    return terms.recovery != Recovery.HALVING or _halved(state, terms, now).pending_documents < 0


def resets_at(state: CounterState, terms: PolicyTerms) -> int | None:
    """When the counter is back at 0 if no document comes; None if it has never counted."""
    if state.updated_at is None or state.recovered_at is None:
        return None
    if terms.recovery == Recovery.WINDOW:
        return state.recovered_at + terms.interval
    idle_end = state.updated_at + terms.interval
    if terms.recovery == Recovery.IDLE:
        return idle_end
    halvings = (-state.pending_documents).bit_length()
    return min(idle_end, state.recovered_at + halvings * _tenth(terms))


def pin_holds(pin: Pin | None, now: int) -> bool:
    """Whether there is a pin that has not ended: nothing clears its columns when it ends.

    `querysets.live_sql` and `counters/check.sql` say the same in SQL.
    """
    return pin is not None and now < pin.until_column


def improves_at(state: CounterState, terms: PolicyTerms, now: int) -> int | None:
    """When the priority next gets better if no document comes; None at priority 1."""
    current = peek(state, terms, now)
    priority = priority_of(current.pending_documents, terms.thresholds)
    end = resets_at(current, terms)
    if priority == BEST_PRIORITY or end is None or current.recovered_at is None:
        return None
    if terms.recovery != Recovery.HALVING:
        return end
    pending, moment = current.pending_documents, current.recovered_at
    while priority_of(pending, terms.thresholds) == priority:
        pending, moment = _toward_zero(pending, 1), moment + _tenth(terms)
    return min(end, moment)


def _never_back(state: CounterState, now: int) -> int:
    return now if state.updated_at is None else max(now, state.updated_at)


def _is_over(state: CounterState, terms: PolicyTerms, now: int) -> bool:
    if state.updated_at is None or state.recovered_at is None:
        return True
    if terms.recovery == Recovery.WINDOW and now - state.recovered_at > terms.interval:
        return True
    return now - state.updated_at > terms.interval


def _halved(state: CounterState, terms: PolicyTerms, now: int) -> CounterState:
    if terms.recovery != Recovery.HALVING or state.recovered_at is None:
        return state
    halvings = (now - state.recovered_at) // _tenth(terms)
    return CounterState(
        _toward_zero(state.pending_documents, halvings),
        state.updated_at,
        state.recovered_at + halvings * _tenth(terms),
    )


def _toward_zero(pending_documents: int, halvings: int) -> int:
    return -(-pending_documents >> halvings)


def _tenth(terms: PolicyTerms) -> int:
    return terms.interval // TENTHS
