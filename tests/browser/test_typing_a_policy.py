"""Somebody sees what a policy means while typing it, and who would move before it is saved."""

import pytest
from django.contrib.auth.models import User

from doc_priority.models import Customer, Policy
from tests.admin.customers import at_priority
from tests.browser.admin_page import AdminPage
from tests.factories import PolicyFactory

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

LAST = "#id_threshold_8"


@pytest.fixture
def policy() -> Policy:
    """Of a customer that stands at 9 under it."""
    policy = PolicyFactory.create(name="Contract")
    at_priority(9, key="acme")
    Customer.objects.update(policy=policy)
    return policy


@pytest.fixture
def maria(admin: AdminPage) -> User:
    maria = User.objects.create_superuser("maria")
    admin.sign_in(maria)
    return maria


def retype(admin: AdminPage, text: str) -> None:
    admin.one(LAST).clear()
    admin.type(LAST, text)


def test_it_follows_what_is_typed(admin: AdminPage, maria: User, policy: Policy) -> None:
    admin.visit("doc_priority_policy_change", policy.pk)
    assert "−21" in admin.one(".dp-levels tbody tr:last-child").text

    retype(admin, "-40")
    admin.until(
        lambda: "−41" in admin.one(".dp-levels tbody tr:last-child").text, "No level follows."
    )
    assert admin.one(".dp-preview-moves").text

    retype(admin, "-1")
    admin.says("This is no policy yet:")


def test_who_would_move_has_to_be_confirmed(admin: AdminPage, maria: User, policy: Policy) -> None:
    admin.visit("doc_priority_policy_change", policy.pk)
    retype(admin, "-40")

    admin.click("[name=_save]")
    admin.says("Nothing is saved yet: save again to confirm.")
    assert Policy.objects.get().thresholds[-1] == -20
    admin.click("[name=_save]")

    admin.until(lambda: Policy.objects.get().thresholds[-1] == -40, "It is never saved.")
