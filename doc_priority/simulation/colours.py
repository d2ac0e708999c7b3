"""The colours of the drawing, for light and for dark; each discipline keeps its own."""

from doc_priority.simulation.disciplines import FIRST_COME
from doc_priority.types import Recovery

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
_OTHER = "d1"


def colour_of(discipline: str) -> str:
    """The class that draws in this discipline's colour."""
    return _COLOURS.get(discipline, _OTHER)
