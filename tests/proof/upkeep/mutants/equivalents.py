"""Mutants that no test can notice, because they do what the app does."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from tests.proof.upkeep.mutants.mutant import Mutant

FILE = Path(__file__).with_name("equivalents.toml")


class Equivalent(NamedTuple):
    """Found by the line as it is written, not by its number, and by what is told of the bug."""

    file: str
    written: str
    told: str


def is_equivalent(mutant: Mutant) -> bool:
    return Equivalent(mutant.file, mutant.written, mutant.told) in EQUIVALENTS


def _read() -> dict[Equivalent, str]:
    entries = tomllib.loads(FILE.read_text("utf-8"))["equivalent"]
    return {
        Equivalent(entry["file"], entry["line"], told): entry["why"]
        for entry in entries
        for told in entry["changes"]
    }


EQUIVALENTS = _read()
"""And why."""
