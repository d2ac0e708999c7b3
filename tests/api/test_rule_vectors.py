"""The rule's exact results over REST, one by one, many at once and in the live list."""

from collections.abc import Callable
from itertools import groupby
from typing import Any

import pytest

from doc_priority import services
from doc_priority.models import Policy
from doc_priority.testing import frozen_time
from tests.api.conftest import Caller
from tests.vectors import SEQUENCES, Sequence, Step

pytestmark = pytest.mark.django_db

CHOSEN = [sequence for sequence in SEQUENCES if not sequence.name.startswith("random")]
"""Those that somebody thought of; the long random ones are run once, below."""


def do(root: Caller, step: Step) -> dict[str, Any]:
    calls: dict[str, Callable[[], Any]] = {
        "check": lambda: root.post("customers/acme/check/", {}),
        "peek": lambda: root.get("customers/acme/"),
        "reset": lambda: root.post("customers/acme/reset/", {"reason": "rule"}),
    }
    answer = calls[step.action]()
    assert answer.status_code == 200, answer.content
    shown: dict[str, Any] = answer.json()
    return shown


def check_many(root: Caller, times: int) -> list[dict[str, Any]]:
    answer = root.post("checks/", {"items": [{"customer": "acme"}] * times})
    decisions: list[dict[str, Any]] = answer.json()["decisions"]
    return decisions


def counted(shown: dict[str, Any]) -> tuple[int, int]:
    return shown["pending_documents"], shown["priority"]


@pytest.mark.parametrize("sequence", CHOSEN, ids=str)
def test_the_rule_by_default(root: Caller, settings: Any, sequence: Sequence) -> None:
    settings.DOC_PRIORITY = {
        "RECOVERY": sequence.recovery,
        "RESET_INTERVAL": sequence.reset_interval,
    }
    with frozen_time(sequence.steps[0].moment) as clock:
        for step in sequence.steps:
            clock.move_to(step.moment)
            assert counted(do(root, step)) == step[2:], step


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
                shown = check_many(root, len(steps))
            else:
                shown = [do(root, step) for step in steps]
            assert [counted(one) for one in shown] == [step[2:] for step in steps]
        (listed,) = root.get("customers/").json()["results"]
        assert counted(listed) == sequence.steps[-1][2:]
