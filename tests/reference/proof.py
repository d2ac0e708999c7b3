"""docs/explanation/promises.md: what the last full run of each suite of `make proof` saw."""

from tests.proof.records import records, tables
from tests.reference.markdown import code, prose, table


def _proof() -> str:
    return table(
        ["promise", "test", "asked", "seen", "date", "run"],
        (
            [
                prose(record.finding.promise),
                f"{code(f'tests/proof/{record.suite}')}, {record.place}",
                prose(record.finding.asked),
                prose(record.finding.seen),
                record.date,
                code(record.command),
            ]
            for record in records()
        ),
    )


def _tables() -> str:
    return "\n\n".join(
        f"**{prose(one.table.title)}** (`tests/proof/{one.suite}`, {one.place}, {one.date}):\n\n"
        + table(one.table.columns, ([prose(cell) for cell in row] for row in one.table.rows))
        for one in tables()
    )


PARTS = {"proof": _proof, "measured": _tables}
