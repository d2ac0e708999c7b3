"""What people type and programs send to the admin: nothing breaks, nothing is done by half.

An answer that is not a success leaves everything as it is. A success stores what its form stands
for, all of it or nothing, and what can be shown.
"""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from django.contrib.messages import ERROR, get_messages
from django.test import Client

from doc_priority.models import Customer, Event, Policy
from doc_priority.validation import shown_text
from tests.api.refusals import make_acme
from tests.proof.hostile.admin_forms import FORM, NOTHING, Form, admin_forms
from tests.proof.hostile.admin_values import (
    CHARSETS,
    PAGES_OF_ROWS,
    PARAMETERS,
    PLACES,
    SURROGATES,
    VALUES,
)
from tests.proof.hostile.difference import difference
from tests.proof.hostile.scene import (
    Stored,
    browser_of,
    empty_portal,
    error_of,
    stored,
    superuser,
    undone,
)
from tests.proof.hostile.text_pages import address
from tests.proof.hostile.tried import Tried, sampled

WORDS = {
    "customer_changelist": "q",
    "customer_live": "q",
    "event_changelist": "q",
    "policy_changelist": "q",
    "rule": "policy",
    "customer_reset": "customer",
    "customer_add": "name",
    "policy_add": "reason",
    "policy_preview": "recovery",
}
"""Where a page looks for a text."""

KINDS = (
    f"{FORM}; charset=utf-7",
    "application/json",
    "multipart/form-data; boundary=x",
    "multipart/form-data",
)
"""Of bodies, which those of the forms are not."""

POPUP = "admin/popup_response.html"


class Request(NamedTuple):
    """How a browser is asked for it."""

    method: str
    path: str
    body: bytes = b""
    content_type: str = FORM
    stores: str = NOTHING
    """What it may, as a pattern of the difference."""

    def __str__(self) -> str:
        return f"{self.method} {self.path[:100]} {self.body[:200]!r} {self.content_type}"


def strange_addresses(*, every: int, below: str = "") -> Tried:
    """Pages asked for with strange parameters, rows, and charsets; looking changes nothing.

    Only those whose address begins so, if anything is given.
    """
    tried = Tried("requests")
    with empty_portal():
        make_acme()
        browser = browser_of(superuser())
        before = stored()
        asked = (one for one in _asked() if one.path.startswith(below))
        for one in sampled(asked, every):
            _expect_an_answer(tried, one, browser)
        tried.expect(stored() == before, "looking changed something")
    return tried


def strange_forms(*, every: int, below: str = "") -> Tried:
    """Each field of each form with each strange value, the others as they should be.

    Only the forms whose address begins so, if anything is given.
    """
    tried = Tried("forms")
    with empty_portal():
        make_acme()
        browser = browser_of(superuser())
        before = stored()
        forms = [one for one in admin_forms() if one.path.startswith(below)]
        for form in forms:
            _expect_all(tried, form, browser, before=before)
        for one in sampled(_sent(forms), every):
            _expect_all_or_nothing(tried, one, browser, before=before)
        tried.expect(stored() == before, "something was left behind")
    return tried


def _expect_all(tried: Tried, form: Form, browser: Client, *, before: Stored) -> None:
    """Of a form as it should be."""
    with undone():
        answer = _expect_an_answer(tried, _as_it_is(form), browser)
        seen = difference(before, stored())
        did_it = bool(re.fullmatch(form.stores, seen))
        tried.expect(did_it, f"{form.path} as it should be: {answer.status_code}, stored {seen!r}")


def _expect_all_or_nothing(tried: Tried, one: Request, browser: Client, *, before: Stored) -> None:
    # Of this answer only: no page has told what the last one kept for it.
    browser.cookies.pop("messages", None)
    with undone():
        answer = _expect_an_answer(tried, one, browser)
        seen = difference(before, stored())
        is_done = _says_so(answer) and re.fullmatch(one.stores, seen)
        tried.expect(not seen or bool(is_done), f"{one}: {answer.status_code}, and stored {seen}")
        tried.expect(not (said := list(_unshown())), f"{one} stored {said}")


def _says_so(answer: Any) -> bool:
    """That it is done: elsewhere, or to the page that opened this one, and without an error."""
    is_success = answer.status_code == 302 or POPUP in (one.name for one in answer.templates)
    return is_success and all(said.level < ERROR for said in get_messages(answer.wsgi_request))


def _asked() -> Iterator[Request]:
    for page, parameters in PARAMETERS.items():
        for parameter, value in product(parameters, VALUES):
            yield Request("GET", f"{address(page)}?{parameter}={value}")
        yield from (Request("GET", f"{address(page)}?q=a&{value}={value}") for value in VALUES)
    for page, place in product(PAGES_OF_ROWS, PLACES):
        yield Request("GET", f"/admin/doc_priority/{page.format(place)}")
    for page, charset, value in product(WORDS, CHARSETS, SURROGATES):
        where = f"{address(page)}?{WORDS[page]}={value.decode()}"
        # Without a body nothing is said of its charset.
        yield Request("GET", where, b"x", f"text/plain; charset={charset}")


def _sent(forms: list[Form]) -> Iterator[Request]:
    for form in forms:
        yield from _mutated(form)
        as_it_is = _as_it_is(form)
        for body in (form.with_fields(2_000), b"x" * 3_000_000, form.body().replace(b"=", b"")):
            yield as_it_is._replace(body=body)
        for kind in KINDS:
            yield as_it_is._replace(content_type=kind)


def _mutated(form: Form) -> Iterator[Request]:
    as_it_is = _as_it_is(form)
    for field in (*form.fields, *form.others):
        for value in VALUES:
            yield as_it_is._replace(body=form.body(**{field: value}))
        yield as_it_is._replace(body=form.without(field))
        yield as_it_is._replace(body=form.body() + f"&{field}=second".encode())
        for charset, value in product(CHARSETS, SURROGATES):
            body, kind = form.in_parts(field, unquote_to_bytes(value), charset=charset)
            yield as_it_is._replace(body=body, content_type=kind)


def _as_it_is(form: Form) -> Request:
    return Request("POST", form.path, form.body(), stores=form.stores)


def _expect_an_answer(tried: Tried, one: Request, browser: Client) -> Any:
    answer = browser.generic(
        one.method,
        one.path.partition("?")[0],
        one.body,
        content_type=one.content_type,
        QUERY_STRING=one.path.partition("?")[2],
    )
    tried.expect(answer.status_code < 500, f"{one}: {answer.status_code} {error_of(answer)}")
    where = answer.get("Location", "/")
    tried.expect(_is_ours(where), f"{one}: leads to {where[:100]!r}")
    return answer


def _is_ours(location: str) -> bool:
    return location.startswith(("/", "?", ".")) and not location.startswith("//")


def _unshown() -> Iterator[str]:
    """Texts that were stored and cannot be shown."""
    for model, names in (
        (Customer, ("key", "name")),
        (Policy, ("name",)),
        (Event, ("customer", "actor", "reason", "source")),
    ):
        for row in model.objects.values_list(*names):
            yield from (text for text in row if shown_text(text) != text)
