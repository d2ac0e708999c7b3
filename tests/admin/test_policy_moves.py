"""What a change of a policy moves, and what others changed meanwhile, is asked about first."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from doc_priority import services
from doc_priority.models import Counter, Event, Policy
from tests.admin.policy_pages import (
    ADD,
    DEFAULT,
    STEPS,
    change_of,
    count,
    form_of,
    messages_of,
    refused,
    seen,
    typed,
)

pytestmark = pytest.mark.django_db


def test_a_change_that_moves_customers_asks_first(admin: Client, gold: Policy) -> None:
    count(gold, -9, -3, -3, 0)
    response = admin.post(change_of(gold), typed(thresholds=STEPS))
    [question] = refused(response)["__all__"]
    assert question == (
        "3 customers move: 5 → 9: 1, 2 → 4: 2. Nothing is saved yet: save again to confirm."
    )
    assert Policy.objects.get().thresholds == DEFAULT
    assert not Event.objects.exists()
    assert "moves_accepted" not in response.content.decode()
    again = admin.post(change_of(gold), typed(thresholds=STEPS) | seen(response))
    assert again.status_code == 302
    assert Policy.objects.get().thresholds == STEPS
    assert Event.objects.count() == LogEntry.objects.count() == 1


def test_a_single_customer_is_asked_about_too(admin: Client, gold: Policy) -> None:
    count(gold, -9)
    [question] = refused(admin.post(change_of(gold), typed(thresholds=STEPS)))["__all__"]
    assert question.startswith("1 customer moves: 5 → 9: 1.")


def test_other_terms_than_were_shown_are_asked_about_anew(admin: Client, gold: Policy) -> None:
    count(gold, -9)
    shown = seen(admin.post(change_of(gold), typed(thresholds=STEPS)))
    other = typed(thresholds=[*STEPS[:7], -8], moves_accepted="on")
    response = admin.post(change_of(gold), other | shown)
    [question] = refused(response)["__all__"]
    assert question.startswith("1 customer moves: 5 → 9: 1.")
    assert "moves_accepted" not in response.content.decode()
    assert Policy.objects.get().thresholds == DEFAULT


def test_numbers_that_changed_are_asked_about_again(admin: Client, gold: Policy) -> None:
    count(gold, -9)
    shown = seen(admin.post(change_of(gold), typed(thresholds=STEPS)))
    count(gold, -9)
    response = admin.post(change_of(gold), typed(thresholds=STEPS) | shown)
    [question] = refused(response)["__all__"]
    assert question.startswith("The numbers have changed since they were shown.")
    assert "2 customers move: 5 → 9: 2." in question
    assert 'name="moves_accepted"' in response.content.decode()
    shown = seen(response)
    count(gold, -9)
    accepted = typed(thresholds=STEPS, moves_accepted="on") | shown
    assert admin.post(change_of(gold), accepted).status_code == 302
    assert Policy.objects.get().thresholds == STEPS


def test_a_change_that_comes_to_move_nobody_needs_no_confirmation(
    admin: Client, gold: Policy
) -> None:
    count(gold, -9)
    shown = seen(admin.post(change_of(gold), typed(thresholds=STEPS)))
    Counter.objects.update(pending_documents=0)
    assert admin.post(change_of(gold), typed(thresholds=STEPS) | shown).status_code == 302


def opened(response: Any) -> dict[str, str]:
    """What a browser sends back of the terms that the form was filled from."""
    [text] = re.findall('name="terms_opened" value="([^"]*)"', response.content.decode())
    return {"terms_opened": unescape(text)}


def test_what_somebody_else_changed_meanwhile_is_not_undone_unasked(
    admin: Client, gold: Policy
) -> None:
    page = opened(admin.get(change_of(gold)))
    services.change_policy("gold", reset_interval=600, recovery="window", thresholds=STEPS)
    mine = typed(thresholds=[*DEFAULT[:7], -21], reason="A contract")

    response = admin.post(change_of(gold), mine | page)

    [told] = refused(response)["__all__"]
    assert told == (
        "Somebody else has changed this policy since the form was opened: "
        "reset interval: 1,500 s → 600 s; recovery: to 0 after an interval without a document → "
        "to 0 once an interval has passed; thresholds: −2, −4, −6, −8, −10, −12, −14, −20 → "
        "0, −1, −2, −3, −4, −5, −6, −7. What stands in the form would replace that. "
        "Nothing is saved yet: save again to confirm."
    )
    assert form_of(response)["reason"].value() == "A contract"
    assert Policy.objects.get().reset_interval == 600
    assert Event.objects.count() == 1
    assert admin.post(change_of(gold), mine | opened(response)).status_code == 302
    policy = Policy.objects.get()
    assert (policy.reset_interval, policy.recovery) == (1500, "idle")
    assert policy.thresholds == [*DEFAULT[:7], -21]


def test_a_change_meanwhile_and_the_moves_are_confirmed_at_once(
    admin: Client, gold: Policy
) -> None:
    count(gold, -9)
    page = opened(admin.get(change_of(gold)))
    services.change_policy("gold", reset_interval=600)
    response = admin.post(change_of(gold), typed(thresholds=STEPS) | page)
    told, question = refused(response)["__all__"]
    assert "reset interval: 1,500 s → 600 s." in told
    assert question.startswith("1 customer moves: 5 → 9: 1.")
    confirmed = typed(thresholds=STEPS) | opened(response) | seen(response)
    assert admin.post(change_of(gold), confirmed).status_code == 302
    assert Policy.objects.get().reset_interval == 1500


def test_a_second_change_meanwhile_is_told_too(admin: Client, gold: Policy) -> None:
    page = opened(admin.get(change_of(gold)))
    services.change_policy("gold", reset_interval=600)
    response = admin.post(change_of(gold), typed(recovery="halving") | page)
    services.change_policy("gold", reset_interval=700)
    again = admin.post(change_of(gold), typed(recovery="halving") | opened(response))
    [told] = refused(again)["__all__"]
    assert "reset interval: 600 s → 700 s." in told


def test_a_change_meanwhile_is_told_after_a_mistake_too(admin: Client, gold: Policy) -> None:
    page = opened(admin.get(change_of(gold)))
    services.change_policy("gold", recovery="window")
    mistaken = admin.post(change_of(gold), typed(reset_interval="x") | page)
    assert list(refused(mistaken)) == ["reset_interval"]
    response = admin.post(change_of(gold), typed(reset_interval=60) | opened(mistaken))
    [told] = refused(response)["__all__"]
    assert "recovery: to 0 after" in told


def test_the_same_change_meanwhile_leaves_nothing_to_ask(admin: Client, gold: Policy) -> None:
    page = opened(admin.get(change_of(gold)))
    services.change_policy("gold", reset_interval=600)
    response = admin.post(change_of(gold), typed(reset_interval=600) | page, follow=True)
    assert messages_of(response) == [("warning", "Nothing was changed.")]


@pytest.mark.parametrize(
    "said",
    [
        "",
        "x",
        "1500",
        "1500 idle x",
        "9 idle 0",
        "1500 never -2,-4,-6,-8,-10,-12,-14,-20",
        "9" * 5000 + " idle -2,-4,-6,-8,-10,-12,-14,-20",
        "1500 idle 0,\x00",
    ],
)
def test_what_no_form_of_ours_says_is_passed_over(admin: Client, gold: Policy, said: str) -> None:
    data = typed(reset_interval=600, terms_opened=said)
    assert admin.post(change_of(gold), data).status_code == 302
    assert Policy.objects.get().reset_interval == 600


def test_a_new_policy_was_filled_from_none(admin: Client) -> None:
    assert "terms_opened" not in admin.get(ADD).content.decode()
