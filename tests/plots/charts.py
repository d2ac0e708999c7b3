"""Panels of lines over a common axis as SVG: readable in light and dark, and as text."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from doc_priority.simulation.colours import STYLE, colour_of
from doc_priority.types import Recovery

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
