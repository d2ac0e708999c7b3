"""The form of a policy shows its levels, and who moves, while somebody types."""

from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from doc_priority.models import Policy
from tests.admin.policy_pages import ADD, DEFAULT, PREVIEW, STEPS, change_of, count, typed

pytestmark = pytest.mark.django_db


def preview(admin: Client, **given: Any) -> dict[str, str]:
    response = admin.get(PREVIEW, given)
    assert response.status_code == 200
    answer: dict[str, str] = response.json()
    return {name: unescape(text) for name, text in answer.items()}


def test_the_page_comes_with_the_levels(admin: Client, gold: Policy) -> None:
    for address in (ADD, change_of(gold)):
        text = admin.get(address).content.decode()
        assert "0 to −2" in text
        assert "−21 and below" in text
        assert f'data-url="{PREVIEW}"' in text
    assert f'data-policy="{gold.pk}"' in text


def test_who_moves_is_shown_as_typed(admin: Client, gold: Policy) -> None:
    count(gold, -9, -9, -3)
    shown = preview(admin, policy=gold.pk, **typed(thresholds=STEPS, reset_interval=3600))
    assert "Reset interval: 1 hour" in shown["levels"]
    assert shown["moves"] == "3 customers move: 5 → 9: 2, 2 → 4: 1."
    assert "−8 and below" in shown["levels"]
    assert preview(admin, policy=gold.pk, **typed())["moves"] == "Nobody moves."
    assert Policy.objects.get().thresholds == DEFAULT


def test_a_new_policy_moves_nobody(admin: Client) -> None:
    shown = preview(admin, policy="", **typed(thresholds=STEPS))
    assert shown["moves"] == "A new policy moves nobody."
    assert "−8 and below" in shown["levels"]


def test_what_is_no_policy_yet_is_shown_as_typed(admin: Client, gold: Policy) -> None:
    shown = preview(admin, policy=gold.pk, **typed(reset_interval="", threshold_2="-2"))
    assert shown["moves"] == ""
    assert "Reset interval: This field is required." in shown["levels"]
    assert "Priority 3 below: −2 is not less than −2 (“Priority 2 below”)." in shown["levels"]


@pytest.mark.parametrize("policy", ["404", "x", "\x00", "9" * 40])
def test_a_preview_of_a_policy_that_is_not_there(admin: Client, policy: str) -> None:
    assert admin.get(PREVIEW, {"policy": policy, **typed()}).status_code == 404


def test_a_preview_takes_five_queries(
    admin: Client, gold: Policy, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    count(gold, *[-9] * 20)
    with django_assert_num_queries(5):  # the session, the user, the policy, the clock, the counters
        preview(admin, policy=gold.pk, **typed(thresholds=STEPS))
