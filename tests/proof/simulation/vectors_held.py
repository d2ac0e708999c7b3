"""Whether the model gives the exact results that every way of running the rule must give."""

from datetime import UTC, datetime, timedelta

from tests.proof.simulation import reckoning
from tests.proof.simulation.model import Model
from tests.proof.simulation.operations import Operation
from tests.vectors import PRIORITY_OF_COUNT, SEQUENCES, Sequence

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def results() -> int:
    """How many results there are."""
    return len(PRIORITY_OF_COUNT) + sum(len(sequence.steps) for sequence in SEQUENCES)


def wrong_results() -> int:
    terms = Model().default_terms
    wrong = sum(
        reckoning.priority(count, terms) != expected
        for count, expected in PRIORITY_OF_COUNT.items()
    )
    return wrong + sum(_wrong_in(sequence) for sequence in SEQUENCES)


def _wrong_in(sequence: Sequence) -> int:
    model, wrong = Model(), 0
    model.settings(RECOVERY=sequence.recovery, RESET_INTERVAL=sequence.reset_interval)
    for step in sequence.steps:
        at = (step.moment - EPOCH) // timedelta(microseconds=1)
        answer = model.perform(Operation(step.action, {"customer": "acme", "at": at}))
        wrong += (answer.pending_documents, answer.priority) != step[2:]
    return wrong
