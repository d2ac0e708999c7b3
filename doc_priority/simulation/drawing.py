"""The waits as a picture in SVG: a row for each discipline and kind of customers.

It has colours for light and dark, a text alternative for everything, and loads nothing.
"""

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, log10

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

FIRST_POWER = 3
"""The scale begins at a millisecond; a shorter wait is drawn there, because it has no 0."""


def colour_of(discipline: str) -> str:
    """The CSS class with this discipline's colour."""
    return _COLOURS.get(discipline, "d1")


def drawing_of(outcomes: Sequence[Outcome], *, title: str, subtitle: str) -> str:
    """The text of the file. The subtitle says what was simulated or measured."""
    # For each kind its waits under each discipline.
    groups = list(zip(*(outcome.kinds for outcome in outcomes), strict=True))
    description = [subtitle]
    for kinds in groups:
        for outcome, kind in zip(outcomes, kinds, strict=True):
            description.append(
                f"{kind.kind}, {outcome.discipline}: median {in_seconds(kind.median)}, "
                f"95 % {in_seconds(kind.p95)}, 99 % {in_seconds(kind.p99)}."
            )
    height = TOP + (HEADING + ROW * len(outcomes) + GAP) * len(groups) + 34
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
    longest = max(kind.p99 for kinds in groups for kind in kinds)
    # At least up to a tenth of a second.
    last_power = max(ceil(log10(max(longest, 1))), 5)
    for power in range(FIRST_POWER, last_power + 1):
        x = _x(10**power, last_power)
        tick = f"{10 ** (power - 6):,} s" if power >= 6 else f"{10 ** (power - 3)} ms"
        parts.append(f'  <path class="grid" d="M{x} {TOP - 4}V{height - 46}"/>')
        parts.append(_text(x, TOP - 12, tick, "soft mid"))
    y = TOP
    for kinds in groups:
        y += HEADING
        parts.append(_text(20, y - 8, about_kind(kinds[0]), "ink kind"))
        for outcome, kind in zip(outcomes, kinds, strict=True):
            parts += _row(outcome.discipline, kind, y + ROW // 2, last_power)
            y += ROW
        y += GAP
    parts += [_text(20, height - 14, LEGEND, "soft"), "</svg>"]
    return "".join(f"{part}\n" for part in parts)


def _row(discipline: str, kind: KindOutcome, y: int, last_power: int) -> Iterator[str]:
    waits = (kind.median, kind.p95, kind.p99)
    median, p95, p99 = (_x(wait, last_power) for wait in waits)
    colour = colour_of(discipline)
    yield _text(32, y + 5, discipline, "ink")
    yield f'  <path class="{colour}" stroke-width="3" d="M{median} {y}H{p99}m0 -5v10"/>'
    yield f'  <circle class="{colour}" cx="{p95}" cy="{y}" r="6"/>'
    yield f'  <circle class="{colour}" cx="{median}" cy="{y}" r="5" stroke-width="2"/>'
    yield f'  <circle class="paper" cx="{median}" cy="{y}" r="4"/>'
    for wait, x, weight in zip(waits, COLUMNS.values(), ("", " strong", ""), strict=True):
        yield _text(x, y + 5, in_seconds(wait), f"ink end{weight}")


def _x(wait: int, last_power: int) -> float:
    """Where a wait lies on the logarithmic scale, which ends at 10**last_power microseconds."""
    place = (log10(max(wait, 10**FIRST_POWER)) - FIRST_POWER) / (last_power - FIRST_POWER)
    return round(LEFT + place * (RIGHT - LEFT), 1)


def _text(x: float, y: int, words: str, classes: str) -> str:
    return f'  <text x="{x}" y="{y}" class="{classes}">{escape(words)}</text>'
