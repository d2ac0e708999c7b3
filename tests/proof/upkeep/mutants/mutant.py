"""A module with one small bug in it."""

import ast
from collections import Counter as Tally
from collections.abc import Iterable
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from tests.proof.upkeep.mutants.changes import changes
from tests.settings import BASE_DIR


class Mutant(NamedTuple):
    """The bug of this number in a file."""

    file: str
    number: int
    line: int
    written: str
    """The line as it is without the bug."""
    told: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.told}"


def mutants_of(files: Iterable[str]) -> list[Mutant]:
    return [mutant for file in files for mutant in _mutants(file)]


def _mutants(file: str) -> list[Mutant]:
    source = Path(BASE_DIR, file).read_text("utf-8")
    lines, seen, found = source.splitlines(), Tally[tuple[str, str]](), []
    for number, change in enumerate(changes(ast.parse(source))):
        written = lines[change.line - 1].strip()
        seen[written, change.told] += 1
        times = seen[written, change.told]
        # Twice the same in one line, or in two lines that are alike.
        told = change.told if times == 1 else f"{change.told} ({times})"
        found.append(Mutant(file, number, change.line, written, told))
    return found


def compiled(file: str, number: int) -> CodeType:
    path = Path(BASE_DIR, file)
    tree = ast.parse(path.read_text("utf-8"))
    changes(tree)[number].make()
    return compile(ast.fix_missing_locations(tree), str(path), "exec")
