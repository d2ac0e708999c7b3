"""The rule's exact results over REST, one by one, many at once and in the live list."""

from itertools import groupby
from typing import Any

import pytest

from doc_priority import services
from doc_priority.models import Customer, Policy
from doc_priority.testing import frozen_time
from tests.api.conftest import Caller
from tests.vectors import SEQUENCES, Sequence

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_the_rule_by_default_and_for_many_under_a_policy(
    root: Caller, settings: Any, sequence: Sequence
) -> None:
    """By default only what somebody thought of: the long random sequences are run once."""
    requests: dict[str, tuple[str, str, dict[str, str]]] = {
        "check": ("POST", "customers/acme/check/", {}),
        "peek": ("GET", "customers/acme/", {}),
        "reset": ("POST", "customers/acme/reset/", {"reason": "rule"}),
    }
    terms = {"recovery": sequence.recovery, "reset_interval": sequence.reset_interval}

    def counted(shown: dict[str, Any]) -> tuple[int, int]:
        return shown["pending_documents"], shown["priority"]

    if not sequence.name.startswith("random"):
        settings.DOC_PRIORITY = {name.upper(): value for name, value in terms.items()}
        with frozen_time(sequence.steps[0].moment) as clock:
            for step in sequence.steps:
                clock.move_to(step.moment)
                assert counted(root.request(*requests[step.action]).json()) == step[2:], step
        Customer.objects.all().delete()
        settings.DOC_PRIORITY = {}

    Policy.objects.create(name="named", **terms)
    services.create_customer("acme", policy="named")
    with frozen_time(sequence.steps[0].moment) as clock:
        for (moment, action), group in groupby(sequence.steps, key=lambda step: step[:2]):
            clock.move_to(moment)
            steps = list(group)
            if action == "check":
                items = [{"customer": "acme"}] * len(steps)
                shown = root.post("checks/", {"items": items}).json()["decisions"]
            else:
                shown = [root.request(*requests[action]).json() for _ in steps]
            assert [counted(one) for one in shown] == [step[2:] for step in steps]
        (listed,) = root.get("customers/").json()["results"]
        assert counted(listed) == sequence.steps[-1][2:]
