"""Named policies made, changed and deleted."""

import pytest
from django.core.exceptions import ValidationError

from doc_priority import services
from doc_priority.exceptions import (
    InvalidPolicy,
    InvalidText,
    PolicyExists,
    PolicyInUse,
    PolicyNotFound,
)
from doc_priority.models import Event, Policy

pytestmark = pytest.mark.django_db

STEPS = [-1, -2, -3, -4, -5, -6, -7, -8]


@pytest.fixture
def steps():
    return services.create_policy("steps", reset_interval=60, recovery="window", thresholds=STEPS)


def test_a_policy_is_made_and_kept_as_an_event(steps):
    assert str(steps) == "steps"
    assert (steps.reset_interval, steps.recovery, steps.thresholds) == (60, "window", STEPS)
    event = Event.objects.get()
    assert (event.customer, event.kind, str(event)) == ("", "policy", "policy change")
    assert event.after == {
        "policy": "steps",
        "reset_interval": 60,
        "recovery": "window",
        "thresholds": STEPS,
    }


def test_a_name_is_given_once(steps):
    with pytest.raises(PolicyExists, match="'steps' exists already"):
        services.create_policy("steps", reset_interval=60, recovery="idle", thresholds=STEPS)
    assert Policy.objects.get().recovery == "window"
    assert Event.objects.count() == 1


@pytest.mark.parametrize(("name", "error"), [("", InvalidPolicy), ("x" * 65, InvalidText)])
def test_a_policy_needs_a_name(name, error):
    with pytest.raises(error, match="name"):
        services.create_policy(name, reset_interval=60, recovery="idle", thresholds=STEPS)


def test_what_is_not_given_stays(steps):
    services.create_customer("acme", policy="steps")
    services.check_many(["acme"] * 3)
    changed = services.change_policy("steps", thresholds=[-10, *range(-11, -18, -1)], actor="kim")
    assert (changed.reset_interval, changed.thresholds[0]) == (60, -10)
    assert services.peek("acme").priority == 1
    event = Event.objects.latest("id")
    assert (event.before["thresholds"], event.after["thresholds"][0]) == (STEPS, -10)


def test_the_same_again_is_no_change(steps):
    services.change_policy("steps", reset_interval=60)
    assert Event.objects.count() == 1


def test_a_change_to_what_is_no_policy_changes_nothing(steps):
    with pytest.raises(InvalidPolicy, match=r"reset_interval 5 .* 10 to 31536000"):
        services.change_policy("steps", reset_interval=5)
    assert Policy.objects.get().reset_interval == 60


def test_an_unknown_policy():
    with pytest.raises(PolicyNotFound, match="'gold'"):
        services.change_policy("gold", reset_interval=60)
    with pytest.raises(PolicyNotFound, match="'gold'"):
        services.delete_policy("gold")


def test_a_policy_is_deleted_when_nobody_has_it(steps):
    services.create_customer("acme", policy="steps")
    with pytest.raises(PolicyInUse, match="'steps' is in use; give its customers"):
        services.delete_policy("steps")
    services.set_policy("acme", policy=None)
    services.delete_policy("steps", reason="Unused")
    assert not Policy.objects.exists()
    assert Event.objects.latest("id").before["policy"] == "steps"


def test_a_form_says_what_is_wrong(steps):
    steps.threshold_3 = 0
    with pytest.raises(ValidationError, match="do not fall"):
        steps.full_clean()
    steps.threshold_3 = -3
    steps.full_clean()


def test_thresholds_are_given_as_a_list():
    policy = Policy.objects.create(name="listed", thresholds=STEPS)
    assert Policy.objects.get(pk=policy.pk).thresholds == STEPS
    with pytest.raises(InvalidPolicy, match="eight"):
        Policy(name="seven", thresholds=STEPS[:7])
