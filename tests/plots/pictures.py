"""Each plot by its name: what was played through the rule, and what one sees."""

from collections.abc import Callable, Iterator, Sequence
from math import log10
from pathlib import Path

from doc_priority import rules
from doc_priority.simulation import FIRST_COME, ROUND_ROBIN, Scenario, Simulation, by_priority
from doc_priority.simulation.drawing import drawing_of
from doc_priority.simulation.scenario import HOUR, MINUTE
from doc_priority.types import CounterState, PolicyTerms, Recovery
from tests.plots.charts import Axis, Panel, chart_of
from tests.settings import BASE_DIR

DROP = [10 * MINUTE] * 40
AFTER = [moment * MINUTE for moment in range(15, 91, 5)]
END = 150 * MINUTE
LOWEST = -60

RATES = [0.5, 0.99, *range(1, 102), *range(105, 201, 5)]
"""Documents in one interval."""
INTERVALS = 30
"""Long enough for one document an interval to come to priority 9."""

PRIORITIES = Axis(
    "Priority", [(level, str(level)) for level in range(1, 10)], lambda level: (level - 1) / 8
)


def path_of(name: str) -> Path:
    return Path(BASE_DIR, "docs", "images", f"{name}.svg")


def flood() -> str:
    """One customer's counter and priority over time."""
    states = {recovery: list(_states(DROP + AFTER, _terms(recovery))) for recovery in Recovery}
    counts = {key: [(moment, count) for moment, count in one] for key, one in states.items()}
    levels = {
        key: [(moment, _priority(count, key)) for moment, count in one]
        for key, one in states.items()
    }
    minutes = Axis(
        "Minutes",
        [(minute * MINUTE, str(minute)) for minute in range(0, 151, 15)],
        lambda moment: moment / END,
    )
    down = Axis(
        "Pending documents",
        [(count, str(count).replace("-", "−")) for count in range(0, LOWEST - 1, -20)],
        lambda count: count / LOWEST,
    )
    return chart_of(
        "40 documents at once, then one every five minutes until minute 90",
        "Under idle the counter falls to −55, and the priority stays at 9 until 25 minutes after "
        "the last document. Under window it is 9 for 25 minutes; then it begins at 1 again and "
        "gets to 2 or 3 before the next interval is over. Under halving it is 9 for two and a half "
        "minutes, better with every step of as many, and 1 from twelve and a half minutes on.",
        minutes,
        [Panel(down, counts), Panel(PRIORITIES, levels)],
    )


def steady() -> str:
    """The worst priority that a customer comes to by its rate."""
    lines = {
        recovery: [(rate, _worst(rate, _terms(recovery))) for rate in RATES]
        for recovery in Recovery
    }
    across = Axis(
        "Documents in one reset interval, evenly spread (logarithmic)",
        [(rate, f"{rate:g}") for rate in (0.5, 1, 2, 5, 10, 20, 50, 100, 200)],
        lambda rate: log10(rate / 0.5) / log10(200 / 0.5),
    )
    return chart_of(
        "The worst priority of a customer that sends evenly, by how much it sends",
        "Under idle whoever sends one document an interval or more comes to 9. Under window one "
        "comes to 9 from 21 documents an interval on, under halving from 101 on.",
        across,
        [Panel(PRIORITIES, lines)],
    )


def waits() -> str:
    """The waits of three kinds of customers where 9 has depth."""
    simulation = Simulation(Scenario(length=4 * HOUR))
    disciplines = [FIRST_COME, ROUND_ROBIN, *(by_priority(_terms(one)) for one in Recovery)]
    return drawing_of(
        [simulation.outcome(discipline) for discipline in disciplines],
        title="Waits of three kinds of customers, with depth within priority 9",
        subtitle="2 workers, 0.2 s a document, 4 hours, 95 % load; Django tasks and Procrastinate.",
    )


PICTURES: dict[str, Callable[[], str]] = {
    "rule-flood": flood,
    "rule-steady": steady,
    "rule-waits": waits,
}


def _terms(recovery: Recovery) -> PolicyTerms:
    return PolicyTerms(recovery=recovery)


def _priority(count: float, recovery: Recovery) -> int:
    return rules.priority_of(int(count), _terms(recovery).thresholds)


def _states(moments: Sequence[int], terms: PolicyTerms) -> Iterator[tuple[int, int]]:
    """The counter each time somebody looks: every five seconds, after what came until then."""
    state, sent = CounterState(), 0
    for now in range(0, END + 1, MINUTE // 12):
        while sent < len(moments) and moments[sent] <= now:
            state, sent = rules.check(state, terms, moments[sent]), sent + 1
        yield now, rules.peek(state, terms, now).pending_documents


def _worst(rate: float, terms: PolicyTerms) -> int:
    """In the last third of the time, when it has settled."""
    gap = round(terms.interval / rate)
    state, worst = CounterState(), 0
    for moment in range(0, INTERVALS * terms.interval, gap):
        state = rules.check(state, terms, moment)
        if 3 * moment >= 2 * INTERVALS * terms.interval:
            priority = rules.priority_of(state.pending_documents, terms.thresholds)
            worst = max(worst, priority)
    return worst
