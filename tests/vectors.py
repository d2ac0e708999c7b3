"""The sequences with exact results that every way of running the rule must give."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

START = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
"""Half an hour before clocks in Berlin go forward."""


class Step(NamedTuple):
    moment: datetime
    action: str
    pending_documents: int
    priority: int


class Sequence(NamedTuple):
    name: str
    recovery: str
    reset_interval: int
    steps: list[Step]

    def __str__(self) -> str:
        return self.name


_VECTORS = json.loads(Path(__file__).with_name("rule-vectors.json").read_text())

PRIORITY_OF_COUNT = {
    int(count): priority for count, priority in _VECTORS["priority_of_count"].items()
}
SEQUENCES = [
    Sequence(
        raw["name"],
        raw["recovery"],
        raw["reset_interval"],
        [
            Step(START + timedelta(microseconds=round(second * 1_000_000)), *rest)
            for second, *rest in raw["steps"]
        ],
    )
    for raw in _VECTORS["sequences"]
]
