"""How many mutants the tests have noticed."""

from collections.abc import Sequence
from typing import NamedTuple

from tests.proof.upkeep.mutants.trying import Result


class Rate(NamedTuple):
    tried: int
    killed: int
    looped: int
    """Of the killed those that never came to an end."""

    @classmethod
    def of(cls, results: Sequence[Result]) -> "Rate":
        killed = [result for result in results if not result.survived]
        return cls(len(results), len(killed), sum(one.ended.code < 0 for one in killed))

    def __str__(self) -> str:
        share = self.killed / self.tried if self.tried else 1
        looped = f", {self.looped} of them looped" if self.looped else ""
        return f"{self.killed} of {self.tried} killed{looped} ({share:.1%})"


def rates(results: Sequence[Result]) -> dict[str, Rate]:
    """Of each file."""
    files = dict.fromkeys(result.mutant.file for result in results)
    return {
        file: Rate.of([result for result in results if result.mutant.file == file])
        for file in files
    }
