"""The rule's exact results over REST, one by one, many at once and in the live list."""

from itertools import groupby
from typing import Any

import pytest

from doc_priority import services
from doc_priority.models import Policy
from doc_priority.testing import frozen_time
from tests.api.conftest import Caller
from tests.vectors import SEQUENCES, Sequence

pytestmark = pytest.mark.django_db

REQUESTS: dict[str, tuple[str, str, dict[str, str]]] = {
    "check": ("POST", "customers/acme/check/", {}),
    "peek": ("GET", "customers/acme/", {}),
    "reset": ("POST", "customers/acme/reset/", {"reason": "rule"}),
}


def counted(shown: dict[str, Any]) -> tuple[int, int]:
    return shown["pending_documents"], shown["priority"]


@pytest.mark.parametrize(
    "sequence", [one for one in SEQUENCES if not one.name.startswith("random")], ids=str
)
def test_the_rule_by_default(root: Caller, settings: Any, sequence: Sequence) -> None:
    """The sequences that somebody thought of; the long random ones are run once, below."""
    settings.DOC_PRIORITY = {
        "RECOVERY": sequence.recovery,
        "RESET_INTERVAL": sequence.reset_interval,
    }

    with frozen_time(sequence.steps[0].moment) as clock:
        for step in sequence.steps:
            clock.move_to(step.moment)
            assert counted(root.request(*REQUESTS[step.action]).json()) == step[2:], step


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_the_rule_for_many_under_a_policy(root: Caller, sequence: Sequence) -> None:
    Policy.objects.create(
        name="named", recovery=sequence.recovery, reset_interval=sequence.reset_interval
    )
    services.create_customer("acme", policy="named")

    with frozen_time(sequence.steps[0].moment) as clock:
        for (moment, action), group in groupby(sequence.steps, key=lambda step: step[:2]):
            clock.move_to(moment)
            steps = list(group)
            if action == "check":
                items = [{"customer": "acme"}] * len(steps)
                shown = root.post("checks/", {"items": items}).json()["decisions"]
            else:
                shown = [root.request(*REQUESTS[action]).json() for _ in steps]
            assert [counted(one) for one in shown] == [step[2:] for step in steps]
        (listed,) = root.get("customers/").json()["results"]
        assert counted(listed) == sequence.steps[-1][2:]
