"""The form of a policy: what it shows while somebody types, refuses, asks and saves."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models.signals import pre_save
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from doc_priority import rules, services
from doc_priority.admin.policy_levels import levels_of
from doc_priority.admin.policy_spans import in_words, short
from doc_priority.models import Counter, Event, Policy
from doc_priority.types import FLOOR, CounterState, PolicyTerms
from tests.admin.conftest import SignIn
from tests.factories import CounterFactory, PolicyFactory
from tests.sessions import open_transaction

pytestmark = pytest.mark.django_db

ADD = "/admin/doc_priority/policy/add/"
PREVIEW = "/admin/doc_priority/policy/preview/"
DEFAULT = [-2, -4, -6, -8, -10, -12, -14, -20]
STEPS = [0, -1, -2, -3, -4, -5, -6, -7]


@pytest.fixture
def gold() -> Policy:
    return PolicyFactory(name="gold")


def typed(
    *, name: str = "", reset_interval: Any = 1500, recovery: str = "idle", **changes: Any
) -> dict[str, Any]:
    thresholds = changes.pop("thresholds", DEFAULT)
    numbered = {f"threshold_{number}": value for number, value in enumerate(thresholds, start=1)}
    return {
        "name": name,
        "reset_interval": reset_interval,
        "recovery": recovery,
        "reason": "",
        **numbered,
        **changes,
    }


def change_of(policy: Policy) -> str:
    return reverse("admin:doc_priority_policy_change", args=[policy.pk])


def form_of(response: Any) -> Any:
    assert response.status_code == 200
    return response.context["adminform"].form


def refused(response: Any) -> dict[str, list[str]]:
    return {name: list(errors) for name, errors in form_of(response).errors.items()}


def messages_of(response: Any) -> list[tuple[str, str]]:
    return [(message.level_tag, str(message)) for message in response.context["messages"]]


def seen(response: Any) -> dict[str, str]:
    """What a browser sends back of the question."""
    confirmation = form_of(response).confirmation
    text = response.content.decode()
    values = {"terms_seen": confirmation.terms_seen, "moves_seen": confirmation.moves_seen}
    for name, value in values.items():
        assert f'<input type="hidden" name="{name}" value="{value}">' in text
    return values


# Making a policy


def test_a_new_policy_starts_from_the_default_one(settings: Any, admin: Client) -> None:
    settings.DOC_PRIORITY = {"RESET_INTERVAL": 600, "THRESHOLDS": STEPS, "RECOVERY": "window"}
    form = form_of(admin.get(ADD))
    assert form["reset_interval"].value() == 600
    assert form["recovery"].value() == "window"
    assert form["threshold_8"].value() == -7


def test_a_policy_is_made_by_the_service(admin: Client) -> None:
    data = typed(name="gold", reset_interval=600, thresholds=STEPS, reason="A contract")
    response = admin.post(ADD, data, follow=True)
    assert [level for level, _ in messages_of(response)] == ["success"]
    policy = Policy.objects.get()
    assert (policy.name, policy.reset_interval, policy.thresholds) == ("gold", 600, STEPS)
    event = Event.objects.get()
    assert (event.kind, event.customer, event.before) == ("policy", "", {})
    assert event.after == {
        "policy": "gold",
        "reset_interval": 600,
        "recovery": "idle",
        "thresholds": STEPS,
    }
    assert (event.actor, event.source, event.reason) == ("root", "admin", "A contract")
    entry = LogEntry.objects.get()
    assert (entry.is_addition(), entry.object_id) == (True, str(policy.pk))


def test_a_name_is_given_once(admin: Client, gold: Policy) -> None:
    assert refused(admin.post(ADD, typed(name="gold"))) == {
        "name": ["Policy with this Name already exists."]
    }


@contextmanager
def before_it_is_saved(act: Callable[[], object]) -> Iterator[None]:
    """Somebody else is quicker by a moment."""

    def first(**_: object) -> None:
        pre_save.disconnect(first, sender=Policy)
        act()

    pre_save.connect(first, sender=Policy)
    try:
        yield
    finally:
        pre_save.disconnect(first, sender=Policy)


def test_a_name_that_is_given_meanwhile(admin: Client) -> None:
    def add() -> None:
        PolicyFactory(name="gold")

    with before_it_is_saved(add):
        response = admin.post(ADD, typed(name="gold", reason="A contract"))
    [error] = refused(response)["__all__"]
    assert "exists already" in error
    assert form_of(response)["reason"].value() == "A contract"
    assert messages_of(response) == []
    assert not Event.objects.exists()
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", "go\u202eld"), ("name", "go\x01ld"), ("reason", "a\tb"), ("reason", "\u200b")],
)
def test_what_cannot_be_shown_is_an_error_at_its_field(
    admin: Client, field: str, value: str
) -> None:
    errors = refused(admin.post(ADD, typed(name="gold") | {field: value}))
    assert list(errors) == [field]
    assert "leave them out" in errors[field][0]
    assert not Policy.objects.exists()


def test_a_reason_has_at_most_500_characters(admin: Client) -> None:
    assert list(refused(admin.post(ADD, typed(name="gold", reason="x" * 501)))) == ["reason"]
    assert admin.post(ADD, typed(name="gold", reason="x" * 500)).status_code == 302


# What is no policy


@pytest.mark.parametrize("reset_interval", ["", "x", "9", "31536001", "-1500", "10.5", "9" * 5000])
def test_an_interval_that_is_none_is_an_error_at_its_field(
    admin: Client, gold: Policy, reset_interval: str
) -> None:
    response = admin.post(change_of(gold), typed(reset_interval=reset_interval))
    assert list(refused(response)) == ["reset_interval"]


def test_an_unknown_recovery_is_an_error_at_its_field(admin: Client, gold: Policy) -> None:
    assert list(refused(admin.post(change_of(gold), typed(recovery="never")))) == ["recovery"]


@pytest.mark.parametrize("threshold", ["", "x", "1", str(FLOOR - 1), "-99999999999", "-2.5"])
def test_a_threshold_that_is_none_is_an_error_at_its_field(
    admin: Client, gold: Policy, threshold: str
) -> None:
    response = admin.post(change_of(gold), typed(threshold_8=threshold))
    assert list(refused(response)) == ["threshold_8"]


def test_thresholds_that_do_not_fall_are_named(admin: Client, gold: Policy) -> None:
    thresholds = [-2, -4, -3, -8, -8, -12, -14, -20]
    response = admin.post(change_of(gold), typed(thresholds=thresholds))
    assert refused(response) == {
        "threshold_3": ["−3 is not less than −4 (“Priority 3 below”)."],
        "threshold_5": ["−8 is not less than −8 (“Priority 5 below”)."],
    }
    assert Policy.objects.get().thresholds == DEFAULT
    assert "This is no policy yet:" in response.content.decode()


# Changing a policy


def test_a_change_that_moves_nobody_is_saved_at_once(admin: Client, gold: Policy) -> None:
    data = typed(reset_interval=600, reason="Shorter")
    response = admin.post(change_of(gold), data, follow=True)
    assert [level for level, _ in messages_of(response)] == ["success"]
    assert Policy.objects.get().reset_interval == 600
    event = Event.objects.get()
    assert (event.before["reset_interval"], event.after["reset_interval"]) == (1500, 600)
    assert (event.actor, event.source, event.reason) == ("root", "admin", "Shorter")
    [changed] = json.loads(LogEntry.objects.get().change_message)
    assert changed == {"changed": {"fields": ["Reset interval"]}}


def test_the_name_stays(admin: Client, gold: Policy) -> None:
    page = admin.get(change_of(gold))
    assert "name" not in form_of(page).fields
    assert "gold" in page.content.decode()
    assert admin.post(change_of(gold), typed(name="silver")).status_code == 302
    assert Policy.objects.get().name == "gold"


def count(policy: Policy, *pending_documents: int) -> None:
    for pending in pending_documents:
        CounterFactory(customer__policy=policy, pending_documents=pending)


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
        "reset interval: 1500 s → 600 s; recovery: to 0 after an interval without a document → "
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
    assert "reset interval: 1500 s → 600 s." in told
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


# Changing nothing


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("A contract", "Nothing was changed, so the reason was not kept."),
        ("", "Nothing was changed."),
    ],
)
@pytest.mark.parametrize("button", ["_save", "_continue"])
def test_who_changes_nothing_is_told_so(
    admin: Client, gold: Policy, reason: str, said: str, button: str
) -> None:
    data = typed(reason=reason) | {button: "1"}
    response = admin.post(change_of(gold), data, follow=True)
    assert messages_of(response) == [("warning", said)]
    lands = {"_save": "/admin/doc_priority/policy/", "_continue": change_of(gold)}[button]
    assert response.redirect_chain == [(lands, 302)]
    assert not Event.objects.exists()
    assert not LogEntry.objects.exists()


def test_a_popup_in_which_nothing_is_changed_closes(admin: Client, gold: Policy) -> None:
    response = admin.post(change_of(gold), typed(_popup="1"))
    assert response.status_code == 200
    assert response.templates[0].name == "admin/popup_response.html"
    assert not LogEntry.objects.exists()


def test_a_policy_that_is_deleted_meanwhile(admin: Client, gold: Policy) -> None:
    Policy.objects.all().delete()
    response = admin.post(change_of(gold), typed(), follow=True)
    [(level, message)] = messages_of(response)
    assert (level, "deleted" in message) == ("warning", True)


@pytest.mark.concurrency
@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True)
def test_a_policy_that_others_hold(settings: Any, admin: Client, gold: Policy) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 100}
    count(gold, -9)
    shown = seen(admin.post(change_of(gold), typed(thresholds=STEPS)))
    data = typed(thresholds=STEPS, reason="Shorter") | shown
    with open_transaction("SELECT * FROM doc_priority_policy FOR UPDATE"):
        response = admin.post(change_of(gold), data)
    [error] = refused(response)["__all__"]
    assert "try again" in error
    assert messages_of(response) == []
    assert not LogEntry.objects.exists()
    assert admin.post(change_of(gold), data | seen(response)).status_code == 302
    assert Event.objects.get().reason == "Shorter"


def test_whoever_may_only_look_sees_the_levels(sign_in: SignIn, gold: Policy) -> None:
    response = sign_in("view_policy").get(change_of(gold))
    text = response.content.decode()
    assert "−21 and below" in text
    assert 'name="reset_interval"' not in text
    assert 'name="reason"' not in text


@pytest.mark.parametrize("customers", [1, 20])
def test_saving_takes_as_many_queries_for_many(
    admin: Client, gold: Policy, customers: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    count(gold, *[-9] * customers)
    ContentType.objects.get_for_model(Policy)  # Django keeps it from then on.
    with django_assert_num_queries(7):
        # The session, the user, the policy, the clock, the counters; a savepoint and its end.
        refused(admin.post(change_of(gold), typed(thresholds=STEPS)))


# What is shown while somebody types


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


# The words


def ranges(thresholds: list[int]) -> list[str]:
    return [level.pending_documents for level in levels_of(thresholds)]


def test_the_levels_of_the_default_policy() -> None:
    assert ranges(DEFAULT) == [
        "0 to −2",
        "−3 to −4",
        "−5 to −6",
        "−7 to −8",
        "−9 to −10",
        "−11 to −12",
        "−13 to −14",
        "−15 to −20",
        "−21 and below",
    ]
    assert [level.documents for level in levels_of(DEFAULT)][:2] == ["1 to 3", "4 to 5"]
    assert levels_of(DEFAULT)[-1].documents == "22 and after"


def test_a_level_of_a_single_count() -> None:
    assert ranges(STEPS)[:2] == ["0", "−1"]


def test_a_level_that_no_counter_reaches() -> None:
    deepest = levels_of([*DEFAULT[:7], FLOOR])[-1]
    assert deepest.pending_documents == "never: the counter stops at −1000000000"
    assert deepest.documents == "none"


@given(
    st.lists(st.integers(-60, 0), min_size=8, max_size=8, unique=True).map(
        lambda given: tuple(sorted(given, reverse=True))
    )
)
def test_the_levels_are_what_the_rule_says(thresholds: tuple[int, ...]) -> None:
    terms = PolicyTerms(thresholds=thresholds)
    for level in levels_of(thresholds):
        lowest = level.highest - 50 if level.lowest is None else level.lowest
        for count in range(level.highest, lowest - 1, -1):
            assert rules.priority_of(count, thresholds) == level.priority
            counted = rules.check(CounterState(), terms, 0, documents=1 - count)
            assert counted.pending_documents == count


@pytest.mark.parametrize(
    ("seconds", "column", "sentence"),
    [
        (1500, "25 min", "25 minutes"),
        (10, "10 s", "10 seconds"),
        (61, "1 min 1 s", "1 minute 1 second"),
        (3600, "1 h", "1 hour"),
        (93_784, "1 d 2 h 3 min 4 s", "1 day 2 hours 3 minutes 4 seconds"),
        (31_536_000, "365 d", "365 days"),
        (1.5, "1.5 s", "1.5 seconds"),
    ],
)
def test_spans_are_read_by_people(seconds: float, column: str, sentence: str) -> None:
    span = timedelta(seconds=seconds)
    assert (short(span), in_words(span)) == (column, sentence)
