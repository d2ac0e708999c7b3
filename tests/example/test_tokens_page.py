"""The page on which people make tokens for their programs, and revoke them."""

import json
import re
import shlex
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client as Browser
from django.utils import timezone
from knox.models import AuthToken

from doc_priority.services import peek

pytestmark = [pytest.mark.django_db, pytest.mark.urls("example_project.urls")]

SignIn = Callable[[str], Browser]

PAGE = "/tokens/"


def page(response: HttpResponse) -> str:
    assert response.status_code == 200
    return unescape(response.content.decode())


def made_by(browser: Browser) -> tuple[str, str]:
    """The token and the line for the terminal that the page shows."""
    token, call = re.findall(r'class="copy"[^>]*>([^<]+)<', page(browser.post(PAGE)))
    return token, call


def call_api(line: str) -> HttpResponse:
    """What curl would do, done by a browser of the tests."""
    program, *arguments = shlex.split(line)
    assert program == "curl"
    pairs = dict(re.findall(r'-H "([\w-]+): ([^"]+)"', line))
    address = urlsplit(arguments[-1])
    assert address.netloc == "testserver"
    body = arguments[arguments.index("-d") + 1] if "-d" in arguments else None
    if body is None:
        return Browser().get(address.path, headers=pairs)
    return Browser().post(
        address.path, json.loads(body), content_type=pairs.pop("Content-Type"), headers=pairs
    )


def test_it_is_in_the_navigation(signed_in: SignIn) -> None:
    assert f'href="{PAGE}"' in page(signed_in("client").get("/"))
    assert f'href="{PAGE}"' not in page(Browser().get("/"))


def test_a_new_token_is_shown_once(signed_in: SignIn) -> None:
    browser = signed_in("client")
    assert "You have no tokens." in page(browser.get(PAGE))

    token, _ = made_by(browser)

    later = page(browser.get(PAGE))
    assert token not in later
    assert f"{token[:8]}…" in later


def test_the_line_counts_a_document_for_a_client(signed_in: SignIn) -> None:
    _, line = made_by(signed_in("client"))

    assert call_api(line).json()["repeated"] is False
    assert call_api(line).json()["repeated"] is True
    assert peek("acme").pending_documents == 0


@pytest.mark.parametrize("username", ["admin", "support", "viewer"])
def test_the_line_shows_the_customers_to_staff(signed_in: SignIn, username: str) -> None:
    _, line = made_by(signed_in(username))

    assert {one["customer"] for one in call_api(line).json()["results"]} == {"acme", "globex"}


def test_somebody_without_a_role_is_told_so(signed_in: SignIn) -> None:
    browser = signed_in("client")
    User.objects.get(username="client").groups.clear()

    assert "You may not call the API." in page(browser.get(PAGE))
    assert "curl" not in page(browser.post(PAGE))


def test_one_sees_ones_own_tokens_that_still_work(signed_in: SignIn) -> None:
    viewer = signed_in("viewer")
    foreign, _ = made_by(signed_in("client"))
    working, _ = made_by(viewer)
    past, _ = made_by(viewer)
    AuthToken.objects.filter(token_key=past[:15]).update(expiry=timezone.now() - timedelta(hours=1))
    endless, _ = made_by(viewer)
    AuthToken.objects.filter(token_key=endless[:15]).update(expiry=None)

    text = page(viewer.get(PAGE))

    assert [start in text for start in (working[:8], endless[:8])] == [True, True]
    assert [start in text for start in (foreign[:8], past[:8])] == [False, False]
    assert "never" in text


def test_ones_own_token_is_revoked(signed_in: SignIn) -> None:
    browser = signed_in("client")
    _, line = made_by(browser)
    (address,) = re.findall(r'action="(/tokens/\w+/revoke/)"', page(browser.get(PAGE)))

    response = browser.post(address, follow=True)

    assert "The token is revoked." in page(response)
    assert call_api(line).status_code == 401
    assert browser.post(address).status_code == 404


def test_a_foreign_token_cannot_be_revoked(signed_in: SignIn) -> None:
    _, line = made_by(signed_in("client"))
    digest = AuthToken.objects.get().pk

    for username in ("admin", "support", "viewer"):
        assert signed_in(username).post(f"/tokens/{digest}/revoke/").status_code == 404

    assert call_api(line).status_code == 200


def test_one_user_has_no_endless_number_of_tokens(signed_in: SignIn, settings: Any) -> None:
    settings.REST_KNOX = {**settings.REST_KNOX, "TOKEN_LIMIT_PER_USER": 1}
    browser = signed_in("client")
    made_by(browser)

    assert "revoke one first" in page(browser.post(PAGE))
    assert AuthToken.objects.count() == 1


def test_a_stranger_is_sent_to_the_login(signed_in: SignIn) -> None:
    for address in (PAGE, f"/tokens/{'0' * 128}/revoke/"):
        for response in (Browser().get(address), Browser().post(address)):
            assert response["Location"] == f"/login/?next={address}"
    assert not AuthToken.objects.exists()


def test_nothing_is_made_or_revoked_by_a_look_or_from_elsewhere(signed_in: SignIn) -> None:
    made_by(signed_in("client"))
    address = f"/tokens/{AuthToken.objects.get().pk}/revoke/"
    browser = Browser(enforce_csrf_checks=True)
    browser.force_login(User.objects.get(username="client"))

    assert browser.get(address).status_code == 405
    assert [browser.post(one).status_code for one in (PAGE, address)] == [403, 403]
    assert browser.get(PAGE).status_code == 200
    assert AuthToken.objects.count() == 1
