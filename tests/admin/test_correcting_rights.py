"""Who may correct, and what a correction must not do on the way."""

import pytest
from django.test import Client
from django.urls import reverse

from doc_priority.models import Event
from doc_priority.services import peek
from tests.admin.confirmations import FORGET, LATER, PIN, RESET, UNPIN, ask, send
from tests.admin.conftest import SignIn
from tests.admin.customers import at_priority
from tests.admin.lists import CUSTOMERS
from tests.factories import CustomerFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "permission"),
    [
        (RESET, "reset_customer"),
        (PIN, "pin_customer"),
        (UNPIN, "pin_customer"),
        (FORGET, "delete_customer"),
    ],
)
def test_each_needs_its_permission(sign_in: SignIn, name: str, permission: str) -> None:
    acme = at_priority(7)
    others = {"reset_customer", "pin_customer", "delete_customer", "change_customer"} - {permission}
    viewer = sign_in("view_customer", *others, username="viewer")
    address = reverse(name)
    for refused in (
        viewer.get(address, {"customer": acme.pk}),
        viewer.post(address, {"customers": acme.pk, "reason": "x", "priority": 1, "until": LATER}),
    ):
        assert refused.status_code == 403
    without_view = sign_in(permission, username="blind")
    assert without_view.get(address, {"customer": acme.pk}).status_code == 403
    permitted = sign_in("view_customer", permission, username="support")
    assert permitted.get(address, {"customer": acme.pk}).status_code == 200
    assert not Event.objects.exists()


@pytest.mark.parametrize("name", [RESET, PIN, UNPIN, FORGET])
def test_strangers_are_asked_to_sign_in_and_looking_changes_nothing(
    name: str, admin: Client
) -> None:
    acme = at_priority(7)
    assert Client().get(reverse(name)).status_code == 302
    assert Client().post(reverse(name), {"customers": acme.pk, "reason": "x"}).status_code == 302
    admin.get(reverse(name), {"customer": acme.pk, "reason": "x", "customers": acme.pk})
    assert admin.put(reverse(name)).status_code == 405
    assert not Event.objects.exists()


def test_a_post_without_the_token_of_the_form_is_refused(admin: Client) -> None:
    acme = at_priority(7)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = admin.cookies
    answer = strict.post(reverse(RESET), {"customers": acme.pk, "reason": "x"})
    assert answer.status_code == 403
    assert peek(acme.key).priority == 7


def test_markup_in_names_and_reasons_stays_text(admin: Client) -> None:
    name = '"><img src=x onerror=alert(1)>'
    acme = CustomerFactory.create(name=name)
    asked = ask(admin, RESET, acme)
    done = send(admin, RESET, asked, reason="<script>alert(1)</script>")
    again = ask(admin, RESET, acme)
    for page in (asked, done, again, admin.get(reverse(CUSTOMERS))):
        assert "<img src=x" not in page.content.decode()
        assert "<script>alert" not in page.content.decode()
