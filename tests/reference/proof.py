"""docs/explanation/promises.md: what the last full run of each suite of `make proof` saw."""

from collections.abc import Iterator
from typing import Any

from tests.proof.records import Record, records, tables
from tests.proof.suite import Suite
from tests.proof.suites import SUITES
from tests.reference.markdown import code, prose, sections, table

HEADINGS = ("promise", "test", "asked", "seen", "date", "run")


def _proof() -> str:
    seen = records()
    return sections(
        *(
            _of_suite(suite, [record for record in seen if record.suite == suite.name])
            for suite in SUITES.values()
        )
    )


def _of_suite(suite: Suite[Any], seen: list[Record]) -> str:
    heading = f"### {suite.name.replace('_', ' ').capitalize()}: {suite.title}"
    return sections(heading, table(HEADINGS, _rows(suite.name, seen))) if seen else ""


def _rows(suite: str, seen: list[Record]) -> Iterator[list[str]]:
    """What is the same at several places is said once."""
    places: dict[tuple[str, ...], list[str]] = {}
    for record in seen:
        found = record.finding
        key = (found.promise, found.asked, found.seen, record.date, record.command)
        places.setdefault(key, []).append(record.place)
    for (promise, asked, what_was_seen, date, command), where in places.items():
        test = f"{code(f'tests/proof/{suite}')}, {', '.join(where)}"
        yield [prose(promise), test, prose(asked), prose(what_was_seen), date, code(command)]


def _tables() -> str:
    return "\n\n".join(
        f"**{prose(one.table.title)}** (`tests/proof/{one.suite}`, {one.place}, {one.date}):\n\n"
        + table(one.table.columns, ([prose(cell) for cell in row] for row in one.table.rows))
        for one in tables()
    )


PARTS = {"proof": _proof, "measured": _tables}
