"""Forget a customer by hand."""

import pytest
from django.contrib.admin.models import DELETION, LogEntry
from django.test import Client
from django.urls import reverse

from doc_priority import services
from doc_priority.models import Customer, Event
from doc_priority.services import check
from tests.admin.confirmations import FORGET, RESET, ask, send, tick
from tests.admin.conftest import SignIn
from tests.admin.customers import at_priority, at_rest
from tests.admin.lists import CUSTOMERS, text_of, told

pytestmark = pytest.mark.django_db


def test_forgetting_takes_the_admins_own_history_along(admin: Client) -> None:
    acme, birch = at_priority(7, name="Acme Ltd"), at_priority(8)
    for one in (acme, birch):
        send(admin, RESET, ask(admin, RESET, one), reason="called +49 170 0000")
    send(admin, FORGET, ask(admin, FORGET, acme), reason="they left")
    kept = LogEntry.objects.filter(object_id=str(acme.pk)).get()
    assert (kept.action_flag, kept.object_repr) == (DELETION, acme.key)
    assert "+49" not in kept.change_message
    services.forget(birch.key)
    assert not LogEntry.objects.filter(object_id=str(birch.pk)).exists()


def test_forgetting_erases_and_leaves_one_event(admin: Client) -> None:
    acme = at_priority(7)
    check(acme.key, document="one")
    page = admin.get(reverse("admin:doc_priority_customer_delete", args=[acme.pk]), follow=True)
    assert "erased for good" in text_of(page)
    assert Customer.objects.exists()

    done = send(admin, FORGET, page, reason="they left")

    assert told(done) == ["1 customer was forgotten."]
    assert done.request["PATH_INFO"] == reverse(CUSTOMERS)
    assert not Customer.objects.exists()
    assert Event.objects.get().kind == "forget"
    assert LogEntry.objects.get().action_flag == DELETION


def test_several_are_forgotten_or_none(admin: Client) -> None:
    acme, birch = at_priority(7), at_rest()
    done = send(admin, FORGET, tick(admin, "delete_selected", acme, birch), reason="they left")
    assert told(done) == ["2 customers were forgotten."]
    assert not Customer.objects.exists()


@pytest.mark.parametrize("rights", [("view_event",), ()])
def test_an_old_link_says_who_is_gone(
    admin: Client, sign_in: SignIn, rights: tuple[str, ...]
) -> None:
    """To those whom the events tell as well."""
    acme = at_rest(key="C1042")
    send(admin, FORGET, ask(admin, FORGET, acme), reason="they left")
    maria = sign_in("view_customer", "reset_customer", *rights)

    for old in (
        f"{reverse(RESET)}?customer={acme.pk}",
        reverse("admin:doc_priority_customer_change", args=[acme.pk]),
    ):
        answer = maria.get(old, follow=True)
        assert answer.request["PATH_INFO"] == reverse(CUSTOMERS)
        assert told(answer) == [
            "The customer “C1042” no longer exists: somebody deleted it."
            if rights
            else "There is no such customer; perhaps somebody deleted it."
        ]
