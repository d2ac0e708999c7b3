"""A session that ends while a form is open: the form comes back with what was typed."""

import re
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from doc_priority import services
from doc_priority.admin import signed_out
from doc_priority.models import Customer, Event, Policy
from tests.admin.confirmations import FORGET, LATER, PIN, RESET, UNPIN, ask
from tests.admin.conftest import ADD, CUSTOMERS, change_of, text_of, told
from tests.admin.conftest import typed as typed_policy
from tests.factories import at_priority, at_rest, pinned

pytestmark = pytest.mark.django_db

SAID = (
    "You were signed out before you sent this, so nothing was changed. "
    "Your entries are still here: check them and send them again."
)
REASON = "called +49 170 0000"


@pytest.fixture
def maria(db: None) -> Client:
    for name in ("maria", "jonas"):
        User.objects.create_superuser(name, password=name)
    client = Client(enforce_csrf_checks=True)
    assert client.login(username="maria", password="maria")
    return client


def html(page: HttpResponse) -> str:
    return page.content.decode()


def fields(page: HttpResponse) -> dict[str, str]:
    """The hidden fields of the page's forms, as the browser sends them back."""
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', html(page))
    return {name: unescape(value) for name, value in found}


def action_of(page: HttpResponse) -> str:
    """Where the form of a correction is sent to."""
    [action] = re.findall(r'<form method="post" action="([^"]*)" class="dp-panel', html(page))
    return unescape(action)


def send_signed_out(client: Client, page: HttpResponse, address: str = "", **typed: Any) -> str:
    """Press the button after the session ended; gives the address of the login."""
    Session.objects.all().delete()
    answer = client.post(address or action_of(page), fields(page) | typed)
    assert answer.status_code == 302
    assert urlsplit(answer["Location"]).path == reverse("admin:login")
    assert REASON not in answer["Location"]
    return answer["Location"]


def sign_in(client: Client, login: str, name: str = "maria") -> HttpResponse:
    token = fields(client.get(login))
    return client.post(login, token | {"username": name, "password": name}, follow=True)


@pytest.mark.parametrize("name", [RESET, PIN, UNPIN, FORGET])
def test_a_correction_comes_back_as_it_was_typed(maria: Client, name: str) -> None:
    page = ask(maria, name, pinned(2, key="acme"), pinned(3, key="birch"))
    typed = {"reason": REASON, "priority": "7", "until": LATER}

    back = sign_in(maria, send_signed_out(maria, page, **typed))

    assert told(back) == [SAID]
    assert f'value="{REASON}"' in html(back)
    if name == PIN:
        assert '<option value="7" selected>' in html(back)
        assert f'value="{LATER}"' in html(back)
    assert not Event.objects.exists()
    assert Customer.objects.count() == 2

    done = maria.post(action_of(back), fields(back) | typed, follow=True)
    assert len(told(done)) == 1
    assert [one.reason for one in Event.objects.all()] == [REASON, REASON]


def test_a_list_comes_back_with_its_customers_and_its_filter(maria: Client) -> None:
    """Also of more customers than have room in an address."""
    many = [at_rest(key=f"C{number:03}") for number in range(101)]
    listed = maria.get(reverse(CUSTOMERS))
    ticked = {"action": "reset_priority", "index": 0, "_selected_action": [one.pk for one in many]}
    page = maria.post(f"{reverse(CUSTOMERS)}?state=idle", fields(listed) | ticked)
    assert len(action_of(page)) < 100

    back = sign_in(maria, send_signed_out(maria, page, reason=REASON))

    assert f'value="{REASON}"' in html(back)
    done = maria.post(action_of(back), fields(back) | {"reason": REASON}, follow=True)
    assert told(done) == ["101 customers: counters reset to 0."]
    assert done.request["QUERY_STRING"] == "state=idle"


def test_what_others_did_meanwhile_is_shown(maria: Client) -> None:
    page = ask(maria, RESET, at_priority(7, key="acme"))
    login = send_signed_out(maria, page, reason=REASON)
    services.reset("acme", actor="jonas", reason="called first")
    back = sign_in(maria, login)
    again = maria.post(action_of(back), fields(back) | {"reason": REASON}, follow=True)
    assert "reset by jonas (called first)" in text_of(again)
    assert Event.objects.count() == 1

    login = send_signed_out(maria, again, reason=REASON)
    Customer.objects.all().delete()
    said = "This customer does not exist. It may have been deleted."
    assert told(sign_in(maria, login)) == [said]


def test_what_was_typed_is_given_once_to_its_author_within_an_hour(
    maria: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The customers, which the address names, come back for whoever may see them."""
    acme = at_priority(7, key="acme")
    page = ask(maria, RESET, acme)
    login = send_signed_out(maria, page, reason=REASON)

    theirs = sign_in(maria, login, "jonas")

    assert "acme" in text_of(theirs)
    assert REASON not in html(theirs)
    assert told(theirs) == []
    maria.login(username="maria", password="maria")
    assert REASON not in html(maria.get(action_of(page)))

    birch = at_priority(7, key="birch")
    page = ask(maria, RESET, acme)
    login = send_signed_out(maria, page, reason=REASON)
    elsewhere = sign_in(maria, login.replace(f"%3D{acme.pk}", f"%3D{birch.pk}"))
    assert REASON not in html(elsewhere)
    assert REASON in html(maria.get(action_of(page)))
    assert REASON not in html(maria.get(action_of(page)))

    page = ask(maria, RESET, acme)
    login = send_signed_out(maria, page, reason=REASON)
    monkeypatch.setattr(signed_out, "LONGEST", 0)
    assert REASON not in html(sign_in(maria, login))


def test_only_a_form_of_ours_fills_the_store_of_sessions(maria: Client, settings: Any) -> None:
    """One that was opened by somebody signed in, is not too long, and has its token."""
    acme = at_priority(7, key="acme")
    for typed in ({"opened_by": "forged"}, {"reason": "x" * 70_000}):
        page = ask(maria, RESET, acme)
        login = send_signed_out(maria, page, **typed)
        assert not Session.objects.exists()
        assert "acme" in text_of(sign_in(maria, login))
    page = ask(maria, RESET, acme)
    Session.objects.all().delete()
    del maria.cookies[settings.CSRF_COOKIE_NAME]
    assert maria.post(action_of(page), fields(page) | {"reason": REASON}).status_code == 403
    assert not Session.objects.exists()


def test_sessions_in_cookies_keep_nothing(maria: Client, settings: Any) -> None:
    """They are small, and whoever signs in next could read them in the browser."""
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
    assert maria.login(username="maria", password="maria")
    page = ask(maria, RESET, at_priority(7, key="acme"))
    del maria.cookies[settings.SESSION_COOKIE_NAME]

    login = send_signed_out(maria, page, reason=REASON)

    assert settings.SESSION_COOKIE_NAME not in maria.cookies
    assert "acme" in text_of(sign_in(maria, login))


def test_the_form_of_a_customer_comes_back(maria: Client, gold: Policy) -> None:
    """What somebody else changed meanwhile stays: only what was typed is changed."""
    acme = at_rest(key="acme", name="Acme")
    address = reverse("admin:doc_priority_customer_change", args=[acme.pk])
    page = maria.get(address)
    login = send_signed_out(maria, page, address, name="Acme Ltd", policy="")
    services.set_policy("acme", policy="gold")

    back = sign_in(maria, login)

    assert told(back) == [SAID]
    assert 'value="Acme Ltd"' in html(back)
    assert "1 Acme has priority 1:" in text_of(back)
    assert Customer.objects.get().name == "Acme"
    maria.post(address, fields(back) | {"name": "Acme Ltd", "policy": ""})
    changed = Customer.objects.get()
    assert (changed.name, changed.policy) == ("Acme Ltd", gold)


def test_the_forms_of_a_policy_come_back_with_their_mistakes(maria: Client) -> None:
    typed = typed_policy(name="silver", reset_interval="0", reason=REASON)
    back = sign_in(maria, send_signed_out(maria, maria.get(ADD), ADD, **typed))
    assert told(back) == [SAID]
    assert 'value="silver"' in html(back)
    assert REASON in html(back)
    assert "reset_interval" in back.context["adminform"].form.errors
    assert not Policy.objects.exists()
    maria.post(ADD, fields(back) | typed | {"reset_interval": "60"})
    silver = Policy.objects.get(name="silver")

    address = change_of(silver)
    typed = typed_policy(reset_interval="120", reason=REASON)
    back = sign_in(maria, send_signed_out(maria, maria.get(address), address, **typed))
    assert 'value="120"' in html(back)
    assert Policy.objects.get().reset_interval == 60
    maria.post(address, fields(back) | typed)
    assert Policy.objects.get().reset_interval == 120

    address = reverse("admin:doc_priority_policy_delete", args=[silver.pk])
    back = sign_in(maria, send_signed_out(maria, maria.get(address), address, reason=REASON))
    assert told(back) == [SAID]
    assert f'value="{REASON}"' in html(back)
    assert Policy.objects.exists()
