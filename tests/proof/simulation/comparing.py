"""The same steps done twice, and the first at which the two do not agree."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.proof.simulation.model import Model
from tests.proof.simulation.operations import Operation, Refused
from tests.proof.simulation.real import Day, Real

LOOK_EVERY = 10
"""So many steps lie between two looks at the live list."""


class Difference(NamedTuple):
    """Where doc_priority and the model went apart."""

    step: int
    what: str
    expected: Any
    actual: Any

    def __str__(self) -> str:
        return f"{self.what}\n    expected {self.expected}\n    actual   {self.actual}"


def difference(operations: Sequence[Operation], *, day: Day) -> Difference | None:
    """The first one, whatever the database raises among it."""
    model = Model()
    with day() as real:
        for step, operation in enumerate(operations):
            try:
                found = _difference(step, operation, model, real)
            except Exception as error:  # Whatever is raised here is what differs.
                return Difference(step, str(operation), "an answer", repr(error))
            if found:
                return found
    return None


def _difference(step: int, operation: Operation, model: Model, real: Real) -> Difference | None:
    """Every answer is compared, after every step all counters, and often the live list."""
    expected, actual = model.perform(operation), real.perform(operation)
    if not _agree(expected, actual):
        return Difference(step, str(operation), expected, actual)
    expected, actual = model.counters(), real.counters()
    if expected != actual:
        return Difference(step, f"the counters stored after {operation}", expected, actual)
    if step % LOOK_EVERY == 0 or operation.name == "stored":
        expected, actual = model.live(), real.live_now()
        if expected != actual:
            return Difference(step, f"the live list after {operation}", expected, actual)
    return None


def _agree(expected: Any, actual: Any) -> bool:
    if isinstance(expected, Refused) and isinstance(actual, Refused):
        return actual.errors <= expected.errors
    return bool(expected == actual)
