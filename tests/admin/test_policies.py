"""Policies: their list, who may do what, how one is deleted; what their form asks and saves."""

import json
import re
from collections.abc import Callable
from html import unescape
from itertools import product
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models.signals import post_save, pre_save
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from doc_priority import services
from doc_priority.models import Counter, Customer, Event, Policy
from doc_priority.types import FLOOR
from tests.admin.conftest import ADD, DEFAULT, LIST, PREVIEW, STEPS, SignIn, change_of, typed
from tests.databases import open_transaction
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db


def text_of(response: HttpResponse) -> str:
    assert response.status_code == 200
    return response.content.decode()


def delete_of(policy: Policy) -> str:
    return reverse("admin:doc_priority_policy_delete", args=[policy.pk])


def delete_on_its_page(admin: Client, policy: Policy) -> Any:
    return admin.post(delete_of(policy), {"post": "yes"}, follow=True)


def delete_ticked(admin: Client, *policies: Policy) -> Any:
    ticked = [policy.pk for policy in policies]
    data = {"action": "delete_selected", "_selected_action": ticked, "post": "yes"}
    return admin.post(LIST, data, follow=True)


def test_each_policy_shows_its_terms_and_customers_and_an_empty_list_the_default_policy(
    admin: Client, sign_in: SignIn
) -> None:
    text = text_of(admin.get(LIST))
    assert "All customers use the default policy" in text
    assert "add a policy here and select it on the customer" in text
    assert reverse("admin:doc_priority_rule") in text
    assert "default policy" not in text_of(admin.get(LIST, {"q": "gold"}))
    viewed = text_of(sign_in("view_policy").get(LIST))
    assert "All customers use the default policy" in viewed
    assert "add a policy" not in viewed

    gold = PolicyFactory(name="gold", reset_interval=5400, recovery="halving", threshold_8=-1000)
    CustomerFactory.create_batch(3, policy=gold)
    text = text_of(admin.get(LIST))
    assert "<bdi>gold</bdi>" in text
    assert "1\xa0h\xa030\xa0min" in text
    assert "by half every tenth of the interval" in text
    assert "−2, −4, −6, −8, −10, −12, −14, −1,000" in text
    customers = reverse("admin:doc_priority_customer_changelist")
    assert f'href="{customers}?policy={gold.pk}">3</a>' in text

    PolicyFactory(name="Gold contract")
    PolicyFactory(name="silver")
    text = text_of(admin.get(LIST, {"q": "gOLD"}))
    assert "Gold contract" in text
    assert "silver" not in text


def assert_nothing_happened(*policies: Policy) -> None:
    assert set(Policy.objects.all()) == set(policies)
    assert not Event.objects.exists()
    assert not LogEntry.objects.exists()


def test_a_policy_without_customers_is_deleted_with_a_reason(admin: Client, gold: Policy) -> None:
    asked = text_of(admin.get(delete_of(gold)))
    assert "Delete the policy “gold”?" in asked
    response = admin.post(delete_of(gold), {"post": "yes", "reason": "No contract"}, follow=True)
    assert [level for level, _ in messages_of(response)] == ["success"]
    assert not Policy.objects.exists()
    event = Event.objects.get()
    assert (event.kind, event.before["policy"], event.after) == ("policy", "gold", {})
    assert (event.actor, event.source, event.reason) == ("root", "admin", "No contract")
    assert LogEntry.objects.get().is_deletion()


def test_a_policy_with_customers_stays_and_a_wrong_reason_or_address_is_reported(
    admin: Client, gold: Policy
) -> None:
    data = {"post": "yes", "reason": "\u202eeno"}
    [(level, message)] = messages_of(admin.post(delete_of(gold), data, follow=True))
    assert level == "error"
    assert "The reason is too long or contains control" in message
    assert_nothing_happened(gold)

    missing = reverse("admin:doc_priority_policy_delete", args=[404])
    [(level, message)] = messages_of(admin.get(missing, follow=True))
    assert level == "warning"
    assert "Perhaps it was deleted" in message

    for customers, said in ((1, "1 customer has"), (29, "30 customers have")):
        CustomerFactory.create_batch(customers, policy=gold)
        for ask in (admin.get, admin.post):
            [(level, message)] = messages_of(ask(delete_of(gold), {"post": "yes"}, follow=True))
            assert level == "error"
            assert f"{said} the policy “gold”" in message
            assert "another policy first" in message
    assert_nothing_happened(gold)


def test_several_are_deleted_at_once_or_none(admin: Client, gold: Policy) -> None:
    silver = PolicyFactory(name="silver")
    acme = CustomerFactory(policy=gold)
    [(level, message)] = messages_of(delete_ticked(admin, gold, silver))
    assert level == "error"
    assert "1 customer has the policy “gold”" in message
    assert_nothing_happened(gold, silver)

    acme.delete()
    asked = admin.post(LIST, {"action": "delete_selected", "_selected_action": [gold.pk]})
    assert "Are you sure" in text_of(asked)
    assert [level for level, _ in messages_of(delete_ticked(admin, gold, silver))] == ["success"]
    assert not Policy.objects.exists()
    assert {event.before["policy"] for event in Event.objects.all()} == {"gold", "silver"}
    assert LogEntry.objects.count() == 2


def test_what_others_did_to_the_policy_meanwhile_is_reported(admin: Client, gold: Policy) -> None:
    """Between the question and the deletion."""
    for delete, (act, said) in product(
        (delete_on_its_page, delete_ticked),
        (
            (lambda: services.create_customer("acme", policy="gold"), "The policy is in use"),
            (lambda: Policy.objects.all().delete(), "has been deleted in the meantime"),
        ),
    ):

        def first(act: Callable[[], object] = act, **_: object) -> None:
            act()

        post_save.connect(first, sender=LogEntry)
        try:
            [(level, message)] = messages_of(delete(admin, gold))
        finally:
            post_save.disconnect(first, sender=LogEntry)
        assert level == "error"
        assert said in message
        assert_nothing_happened(gold)
        Customer.objects.all().delete()


def form_of(response: Any) -> Any:
    assert response.status_code == 200
    return response.context["adminform"].form


def refused(response: Any) -> dict[str, list[str]]:
    return {name: list(errors) for name, errors in form_of(response).errors.items()}


def messages_of(response: Any) -> list[tuple[str, str]]:
    return [(message.level_tag, str(message)) for message in response.context["messages"]]


def hidden(response: Any) -> dict[str, str]:
    """The hidden fields of the form, as a browser sends them back."""
    pattern = r'<input type="hidden" name="((?:initial-)?\w+)" value="([^"]*)"'
    found = re.findall(pattern, response.content.decode())
    return {name: unescape(value) for name, value in found}


def count(policy: Policy, *pending_documents: int) -> None:
    for pending in pending_documents:
        CounterFactory(customer__policy=policy, pending_documents=pending)


def test_a_new_policy_starts_from_the_default_one_and_is_saved_by_the_service(
    settings: Any, admin: Client
) -> None:
    settings.DOC_PRIORITY = {"RESET_INTERVAL": 600, "THRESHOLDS": STEPS, "RECOVERY": "window"}
    page = admin.get(ADD)
    form = form_of(page)
    assert form["reset_interval"].value() == 600
    assert form["recovery"].value() == "window"
    assert form["threshold_8"].value() == -7
    assert 'name="initial-' not in page.content.decode()

    data = typed(name="gold", reset_interval=600, thresholds=STEPS, reason="A contract")
    response = admin.post(ADD, data, follow=True)
    assert [level for level, _ in messages_of(response)] == ["success"]
    policy = Policy.objects.get()
    assert (policy.name, policy.reset_interval, policy.thresholds) == ("gold", 600, STEPS)
    event = Event.objects.get()
    assert (event.kind, event.customer, event.before) == ("policy", "", {})
    terms = {"reset_interval": 600, "recovery": "idle", "thresholds": STEPS}
    assert event.after == {"policy": "gold", **terms}
    assert (event.actor, event.source, event.reason) == ("root", "admin", "A contract")
    entry = LogEntry.objects.get()
    assert (entry.is_addition(), entry.object_id) == (True, str(policy.pk))


def test_invalid_names_and_reasons_are_errors_at_their_field(admin: Client, gold: Policy) -> None:
    no_address = "The name cannot be “.” or “..”. Use another name."
    for field, value, said in (
        ("name", "gold", "Policy with this Name already exists."),
        ("name", ".", no_address),
        ("name", "..", no_address),
        ("name", "go\u202eld", "control or invisible characters"),
        ("name", "go\x01ld", "control or invisible characters"),
        ("reason", "a\tb", "control or invisible characters"),
        ("reason", "\u200b", "control or invisible characters"),
        ("reason", "x" * 501, "at most 500 characters"),
    ):
        errors = refused(admin.post(ADD, typed(name="silver") | {field: value}))
        assert list(errors) == [field], value
        assert said in errors[field][0], value
    assert Policy.objects.get() == gold
    assert admin.post(ADD, typed(name="silver", reason="x" * 500)).status_code == 302


def test_invalid_terms_are_errors_at_their_field(admin: Client, gold: Policy) -> None:
    for field, values in {
        "reset_interval": ("", "x", "9", "31536001", "-1500", "10.5", "9" * 5000),
        "recovery": ("never",),
        "threshold_8": ("", "x", "1", str(FLOOR - 1), "-99999999999", "-2.5"),
    }.items():
        for value in values:
            response = admin.post(change_of(gold), typed() | {field: value})
            assert list(refused(response)) == [field], value

    thresholds = [-2, -4, -3, -8, -8, -12, -14, -20]
    response = admin.post(change_of(gold), typed(thresholds=thresholds))
    assert refused(response) == {
        "threshold_3": ["−3 must be less than −4 (“Priority 3 below”)."],
        "threshold_5": ["−8 must be less than −8 (“Priority 5 below”)."],
    }
    assert Policy.objects.get().thresholds == DEFAULT
    assert "Please correct:" in response.content.decode()


def test_a_name_that_is_taken_meanwhile_is_refused(admin: Client) -> None:
    def somebody_else_adds_it_first(**_: object) -> None:
        pre_save.disconnect(somebody_else_adds_it_first, sender=Policy)
        PolicyFactory(name="gold")

    pre_save.connect(somebody_else_adds_it_first, sender=Policy)
    response = admin.post(ADD, typed(name="gold", reason="A contract"))
    [error] = refused(response)["__all__"]
    assert "already exists" in error
    assert form_of(response)["reason"].value() == "A contract"
    assert messages_of(response) == []
    assert not Event.objects.exists()
    assert not LogEntry.objects.exists()


def test_a_change_that_moves_no_customer_is_saved_at_once(admin: Client, gold: Policy) -> None:
    data = typed(name="silver", reset_interval=600, reason="Shorter")
    response = admin.post(change_of(gold), data, follow=True)
    assert [level for level, _ in messages_of(response)] == ["success"]
    policy = Policy.objects.get()
    assert (policy.name, policy.reset_interval) == ("gold", 600)
    event = Event.objects.get()
    assert (event.before["reset_interval"], event.after["reset_interval"]) == (1500, 600)
    assert (event.actor, event.source, event.reason) == ("root", "admin", "Shorter")
    [changed] = json.loads(LogEntry.objects.get().change_message)
    assert changed == {"changed": {"fields": ["Reset interval"]}}
    page = admin.get(change_of(gold))
    assert "name" not in form_of(page).fields
    assert "gold" in page.content.decode()

    opened = {name: value for name, value in hidden(page).items() if name.startswith("initial-")}
    assert opened["initial-reset_interval"] == "600"
    forged = ("", "x", "9", "-1", "\x00", "9" * 5000)
    for number, (name, value) in enumerate(product(opened, forged)):
        data = typed(reset_interval=1000 + number) | opened | {name: value, "seen": value}
        assert admin.post(change_of(gold), data).status_code in (200, 302), (name, value)
    without = typed(reset_interval=601)
    assert admin.post(change_of(gold), without).status_code == 302
    assert Policy.objects.get().reset_interval == 601


def test_saving_without_a_change_says_so(admin: Client, gold: Policy) -> None:
    for button, lands in (("_save", LIST), ("_continue", change_of(gold))):
        for reason, said in (
            ("A contract", "Nothing was changed, so the reason was not saved."),
            ("", "Nothing was changed."),
        ):
            data = typed(reason=reason) | {button: "1"}
            response = admin.post(change_of(gold), data, follow=True)
            assert messages_of(response) == [("warning", said)]
            assert response.redirect_chain == [(lands, 302)]
    popup = admin.post(change_of(gold), typed(_popup="1"))
    assert popup.status_code == 200
    assert popup.templates[0].name == "admin/popup_response.html"
    Policy.objects.all().delete()
    *_, (level, message) = messages_of(admin.post(change_of(gold), typed(), follow=True))
    assert (level, "deleted" in message) == ("warning", True)
    assert not Event.objects.exists()
    assert not LogEntry.objects.exists()


@pytest.mark.concurrency
@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True)
def test_a_policy_that_others_hold_is_reported(settings: Any, admin: Client, gold: Policy) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 100}
    with open_transaction("SELECT * FROM doc_priority_policy FOR UPDATE"):
        for delete in (delete_on_its_page, delete_ticked):
            [(level, message)] = messages_of(delete(admin, gold))
            assert level == "error"
            assert "Try again" in message
    assert_nothing_happened(gold)

    count(gold, -9)
    shown = hidden(admin.post(change_of(gold), typed(thresholds=STEPS)))
    data = typed(thresholds=STEPS, reason="Shorter") | shown
    with open_transaction("SELECT * FROM doc_priority_policy FOR UPDATE"):
        response = admin.post(change_of(gold), data)
    [error] = refused(response)["__all__"]
    assert "Try again" in error
    assert messages_of(response) == []
    assert not LogEntry.objects.exists()
    assert admin.post(change_of(gold), data | hidden(response)).status_code == 302
    assert Event.objects.get().reason == "Shorter"


def test_a_change_that_moves_customers_is_confirmed_first(admin: Client, gold: Policy) -> None:
    count(gold, -9, -3, -3, 0)
    response = admin.post(change_of(gold), typed(thresholds=STEPS))
    [question] = refused(response)["__all__"]
    assert question == (
        "3 customers change priority: 5 → 9 (1), 2 → 4 (2). Not saved yet. Save again to confirm."
    )
    assert Policy.objects.get().thresholds == DEFAULT
    assert not Event.objects.exists()
    assert "moves_accepted" not in response.content.decode()
    again = admin.post(change_of(gold), typed(thresholds=STEPS) | hidden(response))
    assert again.status_code == 302
    assert Policy.objects.get().thresholds == STEPS
    assert Event.objects.count() == LogEntry.objects.count() == 1


def test_other_terms_or_numbers_than_were_shown_are_confirmed_anew(
    admin: Client, gold: Policy
) -> None:
    count(gold, -9)
    shown = hidden(admin.post(change_of(gold), typed(thresholds=STEPS)))
    other = typed(thresholds=[*STEPS[:7], -8], moves_accepted="on")
    response = admin.post(change_of(gold), other | shown)
    [question] = refused(response)["__all__"]
    assert question.startswith("1 customer changes priority: 5 → 9.")
    assert "moves_accepted" not in response.content.decode()
    assert Policy.objects.get().thresholds == DEFAULT

    count(gold, -9)
    response = admin.post(change_of(gold), typed(thresholds=STEPS) | shown)
    [question] = refused(response)["__all__"]
    assert question.startswith("The numbers have changed since you saw them.")
    assert "2 customers change priority: 5 → 9." in question
    assert 'name="moves_accepted"' in response.content.decode()
    shown = hidden(response)
    count(gold, -9)
    accepted = typed(thresholds=STEPS, moves_accepted="on") | shown
    assert admin.post(change_of(gold), accepted).status_code == 302
    assert Policy.objects.get().thresholds == STEPS

    shown = hidden(admin.post(change_of(gold), typed()))
    Counter.objects.update(pending_documents=0)  # The change no longer moves anybody.
    assert admin.post(change_of(gold), typed() | shown).status_code == 302


def test_a_change_made_meanwhile_is_shown_before_it_is_replaced(
    admin: Client, gold: Policy
) -> None:
    page = hidden(admin.get(change_of(gold)))
    services.change_policy("gold", reset_interval=600, recovery="window", thresholds=STEPS)
    mine = typed(thresholds=[*DEFAULT[:7], -21], reason="A contract")

    response = admin.post(change_of(gold), mine | page)

    assert refused(response)["__all__"] == [
        "Someone else has changed this policy since you opened the form: "
        "reset interval: 25\xa0min → 10\xa0min; "
        "recovery: back to 0 after one interval without a document → "
        "back to 0 one interval after it was last at 0; "
        "thresholds: −2, −4, −6, −8, −10, −12, −14, −20 → 0, −1, −2, −3, −4, −5, −6, −7. "
        "Saving now would overwrite that. Not saved yet. Save again to confirm."
    ]
    assert form_of(response)["reason"].value() == "A contract"
    assert Policy.objects.get().reset_interval == 600
    assert Event.objects.count() == 1
    assert admin.post(change_of(gold), mine | hidden(response)).status_code == 302
    policy = Policy.objects.get()
    assert (policy.reset_interval, policy.recovery) == (1500, "idle")
    assert policy.thresholds == [*DEFAULT[:7], -21]


def test_each_change_made_meanwhile_is_shown_with_the_moves(admin: Client, gold: Policy) -> None:
    count(gold, -9)
    page = hidden(admin.get(change_of(gold)))
    services.change_policy("gold", reset_interval=600)
    same = admin.post(change_of(gold), typed(reset_interval=600) | page, follow=True)
    assert messages_of(same) == [("warning", "Nothing was changed.")]
    mistaken = admin.post(change_of(gold), typed(reset_interval="x") | page)
    assert list(refused(mistaken)) == ["reset_interval"]
    response = admin.post(change_of(gold), typed(thresholds=STEPS) | hidden(mistaken))
    told, question = refused(response)["__all__"]
    assert "reset interval: 25\xa0min → 10\xa0min." in told
    assert question.startswith("1 customer changes priority: 5 → 9.")

    services.change_policy("gold", reset_interval=700)
    again = admin.post(change_of(gold), typed(thresholds=STEPS) | hidden(response))
    told, question = refused(again)["__all__"]
    assert "reset interval: 25\xa0min → 11\xa0min\xa040\xa0s." in told
    assert question.startswith("1 customer changes priority: 5 → 9.")
    confirmed = typed(thresholds=STEPS) | hidden(again)
    assert admin.post(change_of(gold), confirmed).status_code == 302
    assert Policy.objects.get().reset_interval == 1500


def test_levels_and_moves_are_shown_as_typed(admin: Client, gold: Policy, sign_in: SignIn) -> None:
    def preview(**given: Any) -> dict[str, str]:
        answer: dict[str, str] = admin.get(PREVIEW, given).json()
        return {name: unescape(text) for name, text in answer.items()}

    for address in (ADD, change_of(gold)):
        text = admin.get(address).content.decode()
        assert "0 to −2" in text
        assert "−21 or less" in text
        assert f'data-url="{PREVIEW}"' in text
    assert f'data-policy="{gold.pk}"' in text

    count(gold, -9, -9, -3)
    shown = preview(policy=gold.pk, **typed(thresholds=STEPS, reset_interval=3600))
    assert "Reset interval: 1 hour" in shown["levels"]
    assert shown["moves"] == "3 customers change priority: 5 → 9 (2), 2 → 4 (1)."
    assert "−8 or less" in shown["levels"]
    assert preview(policy=gold.pk, **typed())["moves"] == "No priority changes."

    shown = preview(policy="", **typed(thresholds=STEPS))
    assert shown["moves"] == "No customer uses it yet."
    assert "−8 or less" in shown["levels"]

    shown = preview(policy=gold.pk, **typed(reset_interval="", threshold_2="-2"))
    assert shown["moves"] == ""
    assert "Reset interval: This field is required." in shown["levels"]
    assert "Priority 3 below: −2 must be less than −2 (“Priority 2 below”)." in shown["levels"]
    assert Policy.objects.get().thresholds == DEFAULT
    for missing in ("404", "x", "\x00", "9" * 40):
        assert admin.get(PREVIEW, {"policy": missing, **typed()}).status_code == 404

    viewed = sign_in("view_policy").get(change_of(gold)).content.decode()
    assert "−21 or less" in viewed
    assert 'name="reset_interval"' not in viewed
    assert 'name="reason"' not in viewed
