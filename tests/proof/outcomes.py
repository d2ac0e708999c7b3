"""What a suite found out."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """A promise, what was asked of it, what was seen, and whether that is as asked."""

    promise: str
    asked: str
    seen: str
    held: bool
    measured: bool = False
    """A time or a size, which whatever else the machine does may spoil."""

    def __str__(self) -> str:
        mark = "held  " if self.held else "BROKEN"
        return f"{mark} {self.promise}: asked {self.asked}; seen {self.seen}"


@dataclass(frozen=True)
class Control:
    """A bug on purpose, what came of it, and whether the suite noticed."""

    planted: str
    seen: str
    caught: bool

    def __str__(self) -> str:
        mark = "caught" if self.caught else "MISSED"
        return f"{mark} control, {self.planted}: {self.seen}"


@dataclass(frozen=True)
class LeftOut:
    """A part of the suite that this machine cannot run, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True)
class Table:
    """Figures that were measured, and of which nothing is asked."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def table_from(written: dict[str, Any]) -> Table:
    """As it was before it was written as JSON, which knows lists alone."""
    return Table(written["title"], tuple(written["columns"]), tuple(map(tuple, written["rows"])))


@dataclass(frozen=True)
class Outcome:
    """All that one suite found at one place."""

    findings: tuple[Finding, ...]
    controls: tuple[Control, ...]
    tables: tuple[Table, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def is_good(self) -> bool:
        """Every promise held, and every control was caught: there is at least one of each."""
        return (
            bool(self.findings and self.controls)
            and all(finding.held for finding in self.findings)
            and all(control.caught for control in self.controls)
        )

    @property
    def may_be_chance(self) -> bool:
        """Nothing is wrong but what was measured, or a control that by chance did no harm."""
        return all(finding.held or finding.measured for finding in self.findings)
