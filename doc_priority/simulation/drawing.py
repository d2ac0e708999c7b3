"""The waits as a picture in SVG: a row for each discipline and kind of customers.

It has colours for light and dark, a text alternative for everything, and loads nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Self

from doc_priority.simulation.disciplines import FIRST_COME
from doc_priority.simulation.measures import KindOutcome, Outcome, about_kind, in_seconds
from doc_priority.types import Recovery

WIDTH = 900
LEFT, RIGHT = 214, 622
"""The left and right end of the scale, in pixels."""
COLUMNS = {"median": 724, "95 %": 804, "99 %": 884}
"""The right ends of the columns of values, in pixels."""
TOP, ROW, GAP, HEADING = 96, 24, 20, 28

LEGEND = (
    "Wait until a worker begins the document, on a logarithmic scale. "
    "Open dot: median; full dot: 95th percentile; end: 99th."
)

STYLE = """
    svg { color-scheme: light dark }
    .paper { fill: #ffffff } .ink { fill: #1e293b } .soft { fill: #526075 }
    .grid { stroke: #dbe1e8 }
    .d0 { fill: #c2410c; stroke: #c2410c } .d1 { fill: #526075; stroke: #526075 }
    .d2 { fill: #a16207; stroke: #a16207 } .d3 { fill: #1d4ed8; stroke: #1d4ed8 }
    .d4 { fill: #0f766e; stroke: #0f766e }
    .title { font-size: 17px; font-weight: 600 } .kind { font-weight: 600 }
    .end { text-anchor: end } .mid { text-anchor: middle } .strong { font-weight: 600 }
    text { font-variant-numeric: tabular-nums }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #0f172a } .ink { fill: #e2e8f0 } .soft { fill: #a3b1c6 }
      .grid { stroke: #273449 }
      .d0 { fill: #fb923c; stroke: #fb923c } .d1 { fill: #a3b1c6; stroke: #a3b1c6 }
      .d2 { fill: #facc15; stroke: #facc15 } .d3 { fill: #7ab0ff; stroke: #7ab0ff }
      .d4 { fill: #2dd4bf; stroke: #2dd4bf }
    }
"""
_COLOURS = {
    FIRST_COME.name: "d0",
    Recovery.IDLE: "d2",
    Recovery.WINDOW: "d3",
    Recovery.HALVING: "d4",
}

SHORTEST = 1_000
"""A shorter wait is drawn as a millisecond, because a logarithmic scale has no 0."""


def colour_of(discipline: str) -> str:
    """The CSS class with this discipline's colour."""
    return _COLOURS.get(discipline, "d1")


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale: from 10**first to 10**last microseconds between two places in pixels."""

    first: int
    last: int
    left: int
    right: int

    @classmethod
    def of(cls, waits: Iterable[int], left: int, right: int) -> Self:
        """A scale for all of these waits, at least up to a tenth of a second."""
        last = max(ceil(log10(max(*waits, SHORTEST))), 5)
        return cls(floor(log10(SHORTEST)), last, left, right)

    def x(self, microseconds: int) -> float:
        place = (log10(max(microseconds, SHORTEST)) - self.first) / (self.last - self.first)
        return round(self.left + place * (self.right - self.left), 1)

    def ticks(self) -> Iterator[tuple[int, float]]:
        """Each power of ten, and its place."""
        for power in range(self.first, self.last + 1):
            yield 10**power, self.x(10**power)


def drawing_of(outcomes: Sequence[Outcome], *, title: str, subtitle: str) -> str:
    """The text of the file. The subtitle says what was simulated or measured."""
    groups = [
        [(outcome.discipline, outcome.kind(kind.kind)) for outcome in outcomes]
        for kind in outcomes[0].kinds
    ]
    description = [subtitle]
    for group in groups:
        for discipline, kind in group:
            description.append(
                f"{kind.kind}, {discipline}: median {in_seconds(kind.median)}, "
                f"95 % {in_seconds(kind.p95)}, 99 % {in_seconds(kind.p99)}."
            )
    height = TOP + sum(HEADING + ROW * len(group) + GAP for group in groups) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-labelledby="t d" '
        'font-family="system-ui, sans-serif" font-size="14">',
        f'  <title id="t">{escape(title)}</title>',
        f'  <desc id="d">{escape(" ".join(description))}</desc>',
        f"  <style>{STYLE}  </style>",
        f'  <rect class="paper" width="{WIDTH}" height="{height}"/>',
        _text(20, 32, title, "ink title"),
        _text(20, 54, subtitle, "soft"),
    ]
    parts += [_text(x, TOP - 12, name, "soft end") for name, x in COLUMNS.items()]
    scale = Scale.of((kind.p99 for group in groups for _, kind in group), LEFT, RIGHT)
    for moment, x in scale.ticks():
        short = moment < 1_000_000
        tick = f"{moment / 1_000:,.4g} ms" if short else f"{moment // 1_000_000:,} s"
        parts.append(f'  <path class="grid" d="M{x} {TOP - 4}V{height - 46}"/>')
        parts.append(_text(x, TOP - 12, tick, "soft mid"))
    y = TOP
    for group in groups:
        y += HEADING
        parts.append(_text(20, y - 8, about_kind(group[0][1]), "ink kind"))
        for discipline, kind in group:
            parts += _row(discipline, kind, y + ROW // 2, scale)
            y += ROW
        y += GAP
    parts += [_text(20, height - 14, LEGEND, "soft"), "</svg>"]
    return "".join(f"{part}\n" for part in parts)


def _row(discipline: str, kind: KindOutcome, y: int, scale: Scale) -> Iterator[str]:
    median, p95, p99 = map(scale.x, (kind.median, kind.p95, kind.p99))
    colour = colour_of(discipline)
    yield _text(32, y + 5, discipline, "ink")
    yield f'  <path class="{colour}" stroke-width="3" d="M{median} {y}H{p99}m0 -5v10"/>'
    yield f'  <circle class="{colour}" cx="{p95}" cy="{y}" r="6"/>'
    yield f'  <circle class="{colour}" cx="{median}" cy="{y}" r="5" stroke-width="2"/>'
    yield f'  <circle class="paper" cx="{median}" cy="{y}" r="4"/>'
    for value, x, weight in zip(
        (kind.median, kind.p95, kind.p99), COLUMNS.values(), ("", " strong", ""), strict=True
    ):
        yield _text(x, y + 5, in_seconds(value), f"ink end{weight}")


def _text(x: float, y: int, words: str, classes: str) -> str:
    return f'  <text x="{x}" y="{y}" class="{classes}">{escape(words)}</text>'
