"""What a program found in the code."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

PLANTED = Path(__file__).with_name("planted")
MARK = "# planted"


class Place(NamedTuple):
    """A line of a file, and the rule it breaks."""

    file: str
    line: int
    rule: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.rule}"


def planted_lines(file: Path) -> set[int]:
    lines = file.read_text("utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith(MARK)}


def told(places: Collection[Place]) -> str:
    return ", ".join(map(str, places)) or "nothing"
