"""What the last run with the figures of the promises saw; the documentation shows it."""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.proof.outcomes import Finding, Outcome, Table, table_from
from tests.proof.places import Place

FILE = Path(__file__).with_name("seen.json")


@dataclass(frozen=True)
class Record:
    """What a suite found about one promise at one place."""

    suite: str
    place: str
    date: str
    finding: Finding

    @property
    def command(self) -> str:
        return f"make proof SUITE={self.suite} FULL=1"


def records() -> list[Record]:
    return [
        Record(suite, place, run["date"], Finding(**finding))
        for suite, places in _seen().items()
        for place, run in places.items()
        for finding in run["findings"]
    ]


@dataclass(frozen=True)
class Tabulated:
    """What a suite measured at one place."""

    suite: str
    place: str
    date: str
    table: Table


def tables() -> list[Tabulated]:
    return [
        Tabulated(suite, place, run["date"], table_from(table))
        for suite, places in _seen().items()
        for place, run in places.items()
        for table in run.get("tables", ())
    ]


def keep(suite: str, place: Place, outcome: Outcome) -> None:
    """In the place of what the suite found there before."""
    seen = _seen()
    seen.setdefault(suite, {})[place.title] = {
        "date": datetime.now(UTC).date().isoformat(),
        "findings": [asdict(finding) for finding in outcome.findings],
        "tables": [asdict(table) for table in outcome.tables],
    }
    FILE.write_text(json.dumps(seen, indent=2, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")


def _seen() -> dict[str, dict[str, dict[str, Any]]]:
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
