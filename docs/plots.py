"""Draw the plots of the rule for the documentation: `make plots`.

Panels of lines over a common axis as SVG, readable in light and dark, and as text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import log10
from pathlib import Path

from doc_priority import rules
from doc_priority.simulation import FIRST_COME, ROUND_ROBIN, Scenario, Simulation, by_priority
from doc_priority.simulation.drawing import STYLE, colour_of, drawing_of
from doc_priority.simulation.scenario import HOUR, MINUTE
from doc_priority.types import CounterState, PolicyTerms, Recovery

IMAGES = Path(__file__).parent / "images"

WIDTH, LEFT, RIGHT = 900, 110, 870
TOP, HEIGHT, GAP, BOTTOM = 118, 190, 42, 52

DASHES = {Recovery.IDLE: "none", Recovery.WINDOW: "10 5", Recovery.HALVING: "3 4"}
LINE = "path.line { fill: none; stroke-width: 2.5; stroke-linejoin: round }"

Place = Callable[[float], float]
"""Where between 0 and 1 a value lies."""
Tick = tuple[float, str]
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Axis:
    """What is written beside it, where its ticks are, and where a value lies."""

    label: str
    ticks: Sequence[Tick]
    place: Place


@dataclass(frozen=True, slots=True)
class Panel:
    """One line for each recovery."""

    axis: Axis
    lines: dict[Recovery, Points]


def chart_of(title: str, description: str, across: Axis, panels: Sequence[Panel]) -> str:
    """The whole file; the description says what one sees."""
    height = TOP + len(panels) * (HEIGHT + GAP) - GAP + BOTTOM
    parts = [
        *_opening(height, title, description),
        *_legend(),
        *_across(across, height - BOTTOM),
    ]
    for number, panel in enumerate(panels):
        parts += _panel(panel, across, TOP + number * (HEIGHT + GAP))
    return "".join(f"{part}\n" for part in [*parts, "</svg>"])


def _opening(height: int, title: str, description: str) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-labelledby="t d" '
        'font-family="system-ui, sans-serif" font-size="14">'
    )
    yield f'  <title id="t">{escape(title)}</title>'
    yield f'  <desc id="d">{escape(description)}</desc>'
    yield f"  <style>{STYLE}    {LINE}\n  </style>"
    yield f'  <rect class="paper" width="{WIDTH}" height="{height}"/>'
    yield _text(20, 32, title, "ink title")


def _legend() -> Iterator[str]:
    for number, recovery in enumerate(Recovery):
        x = LEFT + 150 * number
        yield _line(recovery, f"M{x} 62H{x + 40}")
        yield _text(x + 50, 67, recovery, "ink")


def _across(axis: Axis, bottom: int) -> Iterator[str]:
    for value, words in axis.ticks:
        x = _x(axis, value)
        yield f'  <path class="grid" d="M{x} {TOP}V{bottom}"/>'
        yield _text(x, bottom + 18, words, "soft mid")
    yield _text((LEFT + RIGHT) / 2, bottom + 40, axis.label, "soft mid")


def _panel(panel: Panel, across: Axis, top: int) -> Iterator[str]:
    yield _text(LEFT, top - 10, panel.axis.label, "ink strong")
    for value, words in panel.axis.ticks:
        y = _y(panel.axis, value, top)
        yield f'  <path class="grid" d="M{LEFT} {y}H{RIGHT}"/>'
        yield _text(LEFT - 10, y + 5, words, "soft end")
    for recovery, points in panel.lines.items():
        places = [(_x(across, x), _y(panel.axis, y, top)) for x, y in points]
        yield _line(recovery, _steps(places))


def _steps(places: Points) -> str:
    """A value holds until the next one; what lies on one height is one stroke."""
    (x, y), *others = places
    path, at = f"M{x} {y}", y
    for right, below in others:
        if below != at:
            path, at = f"{path}H{right}V{below}", below
    return f"{path}H{places[-1][0]}"


def _line(recovery: Recovery, path: str) -> str:
    classes = f"{colour_of(recovery)} line"
    return f'  <path class="{classes}" stroke-dasharray="{DASHES[recovery]}" d="{path}"/>'


def _x(axis: Axis, value: float) -> float:
    return round(LEFT + axis.place(value) * (RIGHT - LEFT), 1)


def _y(axis: Axis, value: float, top: int) -> float:
    return round(top + axis.place(value) * HEIGHT, 1)


def _text(x: float, y: float, words: str, classes: str) -> str:
    return f'  <text x="{x}" y="{y}" class="{classes}">{escape(words)}</text>'


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


if __name__ == "__main__":
    for name, draw in (("flood", flood), ("steady", steady), ("waits", waits)):
        (IMAGES / f"rule-{name}.svg").write_text(draw(), "utf-8")
