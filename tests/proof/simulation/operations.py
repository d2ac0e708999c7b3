"""One step of a simulated day: what is called, and with what."""

from typing import Any, NamedTuple

START = 1_774_744_200_000_000
"""Half an hour before clocks in Berlin go forward; times are whole microseconds since 1970."""


class Operation(NamedTuple):
    """A call of this name; the code under test and the model both have it.

    All it says is fixed, so that it means the same after the steps before it were dropped.
    """

    name: str
    arguments: dict[str, Any]

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.name}({told})"


class Answer(NamedTuple):
    """A decision with its times in microseconds."""

    customer: str
    document: str
    pending_documents: int
    priority: int
    pinned: bool
    reset: bool
    repeated: bool
    decided_at: int
    resets_at: int | None
    policy: str


class Refused(NamedTuple):
    """The names of the errors of which one must come; where two are due, either may."""

    errors: frozenset[str]

    @classmethod
    def by(cls, *errors: str) -> "Refused":
        return cls(frozenset(errors))
