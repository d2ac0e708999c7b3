"""The rule's exact results on the database behind DATABASE_URL."""

from itertools import groupby

import pytest

from doc_priority import services
from doc_priority.models import Customer, Policy
from tests.vectors import SEQUENCES, Sequence, Step

pytestmark = pytest.mark.django_db

ACTIONS = {"check": services.check, "peek": services.peek, "reset": services.reset}


def by_name(sequence: Sequence) -> None:
    """Put the customer `acme` under a named policy."""
    policy = Policy.objects.create(
        name="named", recovery=sequence.recovery, reset_interval=sequence.reset_interval
    )
    Customer.objects.create(key="acme", policy=policy)


@pytest.fixture
def by_default(settings):
    """Put everyone under the sequence's policy."""

    def put(sequence: Sequence) -> None:
        settings.DOC_PRIORITY = {
            "RECOVERY": sequence.recovery,
            "RESET_INTERVAL": sequence.reset_interval,
        }

    return put


def live(step: Step) -> tuple[int, int]:
    customer = Customer.objects.live(step.moment).get(key="acme")
    return customer.pending_documents, customer.priority


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_one_by_one(sequence, by_default):
    by_default(sequence)
    for step in sequence.steps:
        decision = ACTIONS[step.action]("acme", at=step.moment)
        assert (decision.pending_documents, decision.priority) == step[2:], step


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_one_by_one_under_a_named_policy_and_in_the_live_list(sequence):
    by_name(sequence)
    for step in sequence.steps:
        decision = ACTIONS[step.action]("acme", at=step.moment)
        assert (decision.pending_documents, decision.priority) == step[2:], step
        assert live(step) == step[2:], step


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_named_documents(sequence, by_default):
    by_default(sequence)
    for number, step in enumerate(sequence.steps):
        if step.action == "check":
            decision = services.check("acme", document=f"D-{number}", at=step.moment)
        else:
            decision = ACTIONS[step.action]("acme", at=step.moment)
        assert (decision.pending_documents, decision.priority) == step[2:], step


@pytest.mark.parametrize("named", [False, True], ids=["unnamed", "named"])
@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_many_at_once(sequence, by_default, named):
    by_default(sequence) if named else by_name(sequence)
    together = groupby(enumerate(sequence.steps), key=lambda step: step[1][:2])
    for (moment, action), group in together:
        steps = list(group)
        if action == "check":
            items = [("acme", f"D-{number}") if named else "acme" for number, _ in steps]
            decisions = services.check_many(items, at=moment)
        else:
            decisions = [ACTIONS[action]("acme", at=moment) for _ in steps]
        got = [(decision.pending_documents, decision.priority) for decision in decisions]
        assert got == [step[2:] for _, step in steps]
