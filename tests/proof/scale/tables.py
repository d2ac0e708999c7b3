"""What was measured, as lines of a table."""

from collections.abc import Iterator, Sequence

from tests.proof.scale.filling import COUNTING
from tests.proof.scale.turns import Measured

NAME = 26
VALUE = 22


def heading(customers: Sequence[int]) -> str:
    return _line(columns(customers))


def line(one: Measured, customers: Sequence[int]) -> str:
    return _line(row(one, customers))


def columns(customers: Sequence[int]) -> list[str]:
    return ["customers", *(f"{one:,}" for one in customers), "queries"]


def row(one: Measured, customers: Sequence[int]) -> list[str]:
    """Its time at each size, with how many times that is as much as at the first."""
    return [one.name, *_cells(one, customers), str(max(one.queries.values()))]


def crowd_columns(customers: int, crowd: int) -> list[str]:
    return [f"of {customers:,} customers", f"{COUNTING:,} count", f"{crowd:,} count"]


def crowd_row(usual: Measured, crowded: Measured) -> list[str]:
    """Its time with the most customers, and once many more of them count."""
    most = max(usual.milliseconds)
    return [usual.name, *(f"{one.milliseconds[most]:,.2f} ms" for one in (usual, crowded))]


def _cells(one: Measured, customers: Sequence[int]) -> Iterator[str]:
    for size in customers:
        if size not in one.milliseconds:
            yield "–"
        else:
            yield f"{one.milliseconds[size]:,.2f} ms ({one.growth[size]:.2f})"


def _line(cells: Sequence[str]) -> str:
    name, *values, queries = cells
    return f"{name:<{NAME}}" + "".join(f"{value:>{VALUE}}" for value in values) + f"{queries:>9}"
