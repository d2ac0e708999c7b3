"""What a suite is, and what it is given to run with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tests.proof.outcomes import Control, Finding, LeftOut, Outcome, Table
from tests.proof.places import Place

Bounds = TypeVar("Bounds")


@dataclass
class Trial:
    """One run of a suite at one place: it says what it does and keeps what it finds."""

    place: Place
    _findings: list[Finding] = field(default_factory=list)
    _controls: list[Control] = field(default_factory=list)
    _tables: list[Table] = field(default_factory=list)
    _left_out: list[LeftOut] = field(default_factory=list)

    def say(self, text: str) -> None:
        print(f"  {self.place.title}: {text}", flush=True)

    def find(
        self, promise: str, *, asked: str, seen: str, held: bool, measured: bool = False
    ) -> None:
        self._findings.append(Finding(promise, asked, seen, held, measured))
        self.say(str(self._findings[-1]))

    def control(self, planted: str, *, seen: str, caught: bool) -> None:
        self._controls.append(Control(planted, seen, caught))
        self.say(str(self._controls[-1]))

    def tabulate(self, title: str, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
        """Figures to keep; they were said as they came."""
        table = Table(title, tuple(columns), tuple(tuple(row) for row in rows))
        self._tables.append(table)

    def leave_out(self, what: str, why: str) -> None:
        """A part that this machine cannot run: a strict run fails for it, and no record is kept."""
        self._left_out.append(LeftOut(what, why))
        self.say(f"not run: {self._left_out[-1]}")

    @property
    def outcome(self) -> Outcome:
        return Outcome(
            tuple(self._findings),
            tuple(self._controls),
            tuple(self._tables),
            tuple(self._left_out),
        )


@dataclass(frozen=True)
class Suite(Generic[Bounds]):
    """A promise's proof: what it runs, where, and how much of it.

    `run` finds Django set up, and an empty database of its own where the place has one.
    """

    name: str
    title: str
    places: tuple[str, ...]
    run: Callable[[Trial, Bounds], None]
    short: Bounds
    full: Bounds
    short_limit: int
    """Seconds after which a run at one place is given up."""
    full_limit: int

    def bounds(self, *, full: bool) -> Bounds:
        return self.full if full else self.short

    def limit(self, *, full: bool) -> int:
        return self.full_limit if full else self.short_limit
