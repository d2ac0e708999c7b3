"""The waits as a picture: one row for each discipline and kind of customers, in SVG.

It has its colours for light and for dark, says everything in text, too, and needs nothing else.
"""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import chain

from doc_priority.simulation.colours import STYLE, colour_of
from doc_priority.simulation.measures import KindOutcome, Outcome
from doc_priority.simulation.scale import Scale
from doc_priority.simulation.wording import about_kind, in_seconds

WIDTH = 900
LEFT, RIGHT = 214, 622
"""Where the scale begins and ends."""
COLUMNS = {"median": 724, "95 %": 804, "99 %": 884}
"""Where the values that are written out end."""
TOP, ROW, GAP, HEADING = 96, 24, 20, 28

Waits = tuple[str, KindOutcome]
"""A discipline's name, and the waits of one kind under it."""

LEGEND = (
    "Wait until a worker begins the document, on a logarithmic scale. "
    "Open dot: median; full dot: 95th percentile; end: 99th."
)


def drawing_of(outcomes: Sequence[Outcome], *, title: str, subtitle: str) -> str:
    """The whole file. The title is a line; the subtitle says what was simulated or measured."""
    groups = [list(_waits_of(kind.kind, outcomes)) for kind in outcomes[0].kinds]
    scale = Scale.of((kind.p99 for group in groups for _, kind in group), LEFT, RIGHT)
    height = TOP + sum(HEADING + ROW * len(group) + GAP for group in groups) + 34
    parts = [
        *_opening(height, title, f"{subtitle} {' '.join(_sentences(groups))}"),
        _text(20, 32, title, "ink title"),
        _text(20, 54, subtitle, "soft"),
        *_headings(),
        *_grid(scale, height - 46),
        *_rows(groups, scale),
        _text(20, height - 14, LEGEND, "soft"),
        "</svg>",
    ]
    return "".join(f"{part}\n" for part in parts)


def _waits_of(kind: str, outcomes: Sequence[Outcome]) -> Iterator[Waits]:
    for outcome in outcomes:
        yield outcome.discipline, outcome.kind(kind)


def _opening(height: int, title: str, description: str) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-labelledby="t d" '
        'font-family="system-ui, sans-serif" font-size="14">'
    )
    yield f'  <title id="t">{escape(title)}</title>'
    yield f'  <desc id="d">{escape(description)}</desc>'
    yield f"  <style>{STYLE}  </style>"
    yield f'  <rect class="paper" width="{WIDTH}" height="{height}"/>'


def _sentences(groups: Sequence[Sequence[Waits]]) -> Iterator[str]:
    for discipline, kind in chain.from_iterable(groups):
        yield (
            f"{kind.kind}, {discipline}: median {in_seconds(kind.median)}, "
            f"95 % {in_seconds(kind.p95)}, 99 % {in_seconds(kind.p99)}."
        )


def _headings() -> Iterator[str]:
    for name, x in COLUMNS.items():
        yield _text(x, TOP - 12, name, "soft end")


def _grid(scale: Scale, bottom: int) -> Iterator[str]:
    for moment, x in scale.ticks():
        yield f'  <path class="grid" d="M{x} {TOP - 4}V{bottom}"/>'
        yield _text(x, TOP - 12, _tick(moment), "soft mid")


def _tick(microseconds: int) -> str:
    if microseconds < 1_000_000:
        return f"{microseconds / 1_000:,.4g} ms"
    return f"{microseconds // 1_000_000:,} s"


def _rows(groups: Sequence[Sequence[Waits]], scale: Scale) -> Iterator[str]:
    y = TOP
    for group in groups:
        y += HEADING
        yield _text(20, y - 8, about_kind(group[0][1]), "ink kind")
        for waits in group:
            yield from _row(*waits, y + ROW // 2, colour_of(waits[0]), scale)
            y += ROW
        y += GAP


def _row(discipline: str, kind: KindOutcome, y: int, colour: str, scale: Scale) -> Iterator[str]:
    median, p95, p99 = map(scale.x, (kind.median, kind.p95, kind.p99))
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
