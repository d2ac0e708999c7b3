"""The rule's exact results on the database behind DATABASE_URL."""

from itertools import groupby
from typing import Any

import pytest

from doc_priority import services
from doc_priority.models import Counter, Customer, Policy
from tests.vectors import SEQUENCES, START, Sequence

pytestmark = pytest.mark.django_db

ACTIONS = {"check": services.check, "peek": services.peek, "reset": services.reset}


def put_under_a_named_policy(key: str, sequence: Sequence) -> None:
    policy, _ = Policy.objects.get_or_create(
        name="named", recovery=sequence.recovery, reset_interval=sequence.reset_interval
    )
    Customer.objects.create(key=key, policy=policy)


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_one_by_one_without_and_with_documents(sequence: Sequence, settings: Any) -> None:
    terms = {"RECOVERY": sequence.recovery, "RESET_INTERVAL": sequence.reset_interval}
    settings.DOC_PRIORITY = terms
    for number, step in enumerate(sequence.steps):
        decision = ACTIONS[step.action]("acme", at=step.moment)
        assert (decision.pending_documents, decision.priority) == step[2:], step
        if step.action == "check":
            decision = services.check("named", document=f"D-{number}", at=step.moment)
        else:
            decision = ACTIONS[step.action]("named", at=step.moment)
        assert (decision.pending_documents, decision.priority) == step[2:], step


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_one_by_one_under_a_named_policy_and_in_the_live_list(sequence: Sequence) -> None:
    """A copy of the counter after each step, moved in time, so that one query shows all of them."""
    put_under_a_named_policy("acme", sequence)
    copies, expected = [], {}
    for number, step in enumerate(sequence.steps):
        decision = ACTIONS[step.action]("acme", at=step.moment)
        assert (decision.pending_documents, decision.priority) == step[2:], step
        put_under_a_named_policy(f"after-{number}", sequence)
        expected[f"after-{number}"] = step[2:]
        for copy in Counter.objects.filter(customer="acme", updated_at__isnull=False):
            copy.customer_id = f"after-{number}"
            copy.updated_at += START - step.moment
            copy.recovered_at += START - step.moment
            copies.append(copy)
    Counter.objects.bulk_create(copies)
    live = Customer.objects.live(START).filter(key__startswith="after-")
    assert {row.key: (row.pending_documents, row.priority) for row in live} == expected


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_many_at_once(sequence: Sequence, settings: Any) -> None:
    """With documents under the default policy, and without documents under a named one."""
    terms = {"RECOVERY": sequence.recovery, "RESET_INTERVAL": sequence.reset_interval}
    settings.DOC_PRIORITY = terms
    put_under_a_named_policy("plain", sequence)
    together = groupby(enumerate(sequence.steps), key=lambda step: step[1][:2])
    for (moment, action), group in together:
        steps = list(group)
        if action == "check":
            documents = [("documents", f"D-{number}") for number, _ in steps]
            decisions = services.check_many([*documents, *["plain"] * len(steps)], at=moment)
        else:
            keys = ["documents"] * len(steps) + ["plain"] * len(steps)
            decisions = [ACTIONS[action](key, at=moment) for key in keys]
        got = [(decision.pending_documents, decision.priority) for decision in decisions]
        assert got == [step[2:] for _, step in steps] * 2
