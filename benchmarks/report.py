"""The tables a run prints, and the file it can leave."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles

from benchmarks.plan import TITLES, Comparison, Rates, Target

WIDTH = 42

Cell = tuple[str, str, str]
"""Database, row, column; or, of what was measured itself, database, contender, load."""


class Results:
    """The ratios of every round, and their medians."""

    def __init__(self, compared: Sequence[Comparison], rounds: Sequence[Rates]) -> None:
        self.rounds = rounds
        self.ratios: dict[Cell, list[float]] = {
            (one.database, one.row, one.column): [one.ratio(rates) for rates in rounds]
            for one in compared
        }

    def typical_rate(self, measure: Cell) -> float:
        return median(rates[measure] for rates in self.rounds)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def tables(results: Results, *, of: str, unit: str) -> str:
    """The ratios, below the rates of the contender that it is all about."""
    databases = dict.fromkeys(database for database, _, _ in results.ratios)
    return "\n\n".join("\n".join(_table(results, name, of, unit)) for name in databases)


def _table(results: Results, database: str, of: str, unit: str) -> Iterator[str]:
    mine = {cell: ratios for cell, ratios in results.ratios.items() if cell[0] == database}
    loads = list(dict.fromkeys(column for _, _, column in mine))
    yield _line(TITLES[database], loads)
    rates = [results.typical_rate((database, of, load)) for load in loads]
    yield _line(unit, [f"{rate:,.0f}" for rate in rates])
    for row in dict.fromkeys(row for _, row, _ in mine):
        shown = [_shown(mine.get((database, row, load))) for load in loads]
        yield _line(f"  {row}", shown)


def _shown(ratios: Sequence[float] | None) -> str:
    return "" if ratios is None else f"{median(ratios):.2f}"


def _line(name: str, values: Sequence[str]) -> str:
    return (f"{name:<{WIDTH}}" + "".join(f"{value:>25}" for value in values)).rstrip()


def verdicts(results: Results, targets: Iterable[Target]) -> str:
    """Every target that was measured, and whether it is met."""
    measured = [
        (target, ratios)
        for target in targets
        if (ratios := results.ratios.get((target.database, target.row, target.column)))
    ]
    met = sum(target.is_met(median(ratios)) for target, ratios in measured)
    lines = [_verdict(target, ratios) for target, ratios in measured]
    return "\n".join([*lines, f"{met} of {len(measured)} targets are met."])


def _verdict(target: Target, ratios: Sequence[float]) -> str:
    middle = median(ratios)
    word = "met   " if target.is_met(middle) else "MISSED"
    low, _, high = quantiles(ratios, n=4) if len(ratios) > 1 else (middle,) * 3
    name = f"{TITLES[target.database]}: {target.row}, {target.column}"
    return f"{word} {middle:7.2f} {target!s:>7}  (half of them {low:.2f} to {high:.2f})  {name}"


def write(results: Results, path: Path) -> None:
    """All rounds, for whoever wants to compute something else."""
    ratios: list[Mapping[str, object]] = [
        {"database": database, "row": row, "column": column, "ratios": values}
        for (database, row, column), values in results.ratios.items()
    ]
    rates = [
        {" | ".join(measure): rate for measure, rate in rates.items()} for rates in results.rounds
    ]
    path.write_text(json.dumps({"ratios": ratios, "rates": rates}, indent=2), encoding="utf-8")
