"""The form of a policy: what it refuses, and what it saves."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models.signals import pre_save
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from doc_priority.models import Event, Policy
from doc_priority.types import FLOOR
from tests.admin.conftest import SignIn
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
from tests.factories import PolicyFactory
from tests.sessions import open_transaction

pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_that_no_address_can_hold(admin: Client, name: str) -> None:
    assert refused(admin.post(ADD, typed(name=name))) == {
        "name": ["No address can hold the name “.” or “..”; use another one."]
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
