"""What no browser sends: 400 on every page of ours, and no line of the log of its own."""

import logging
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse

from doc_priority import services
from doc_priority.models import Event, Policy
from tests.admin.confirmations import RESET, ask, send
from tests.admin.conftest import ADD, CUSTOMERS, LIST, PREVIEW, change_of
from tests.factories import (
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
    at_priority,
)

pytestmark = pytest.mark.django_db

NAMES = "customer_changelist", "customer_live", "policy_changelist", "event_changelist"
NAMES += "dashboard", "rule", "customer_add", "policy_add", "policy_preview"
PAGES = tuple(reverse(f"admin:doc_priority_{name}") for name in NAMES)


def test_another_charset_than_utf_8_is_refused(admin: Client) -> None:
    """In some of them, half of a surrogate pair can be sent."""
    part = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    parameters = ("q", "policy", "name", "reason", "recovery")
    fields = ("list", *parameters[2:], "_selected_action", "until")
    forms = (reverse(RESET), reverse(CUSTOMERS), ADD, change_of(PolicyFactory.create()))
    customer = CustomerFactory.create().pk
    for charset, half in (("unicode_escape", r"\ud800"), ("utf-7", "+2AA-")):
        kind = f"text/plain; charset={charset}"
        for address, parameter in product(PAGES, parameters):
            query = f"{parameter}={quote(half, safe='')}"
            answer = admin.generic("GET", address, "x", kind, QUERY_STRING=query)
            assert answer.status_code == 400, (address, parameter)

        body = "".join("--x\r\n" + part.format(name, half) for name in fields)
        body += "--x\r\n" + part.format("customers", customer) + "--x--\r\n"
        kind = f"multipart/form-data; boundary=x; charset={charset}"
        for address in forms:
            assert admin.generic("POST", address, body, kind).status_code == 400, address
    for said in ("utf-8", "UTF-8", '"utf-8"'):
        kind = f"application/x-www-form-urlencoded; charset={said}"
        assert admin.generic("POST", ADD, "name=x", kind).status_code == 200, said


def test_ticks_of_policies_that_are_none_are_refused_and_empty_fields_to_look_for_are_not(
    admin: Client,
) -> None:
    PolicyFactory.create()
    for ticked in ("x", "\N{BOMB}", "1.5", "9" * 30, "²", "1,2", ""):
        sent = {"action": "delete_selected", "index": 0, "_selected_action": [ticked]}
        assert admin.post(LIST, sent | {"post": "yes"}).status_code == 400, ticked
    assert Policy.objects.count() == 1

    for factory in (CustomerFactory, PolicyFactory, EventFactory):
        row = factory()
        for page in ("change", "delete"):
            address = reverse(f"admin:doc_priority_{row._meta.model_name}_{page}", args=[row.pk])
            plain, empty = (admin.get(f"{address}{query}") for query in ("", "?_to_field="))
            assert empty.status_code == plain.status_code
            assert admin.post(address, {"_popup": "", "_to_field": ""}).status_code < 500


def test_nobody_forges_a_line_of_the_log(admin: Client, caplog: pytest.LogCaptureFixture) -> None:
    forged = quote("\r\nERROR forged a line\x1b[31m")
    with caplog.at_level(logging.DEBUG):
        for address in PAGES:
            if address != PREVIEW:
                admin.get(f"{address}?{forged}=1")
                admin.get(f"{address}?_to_field={forged}")
    assert caplog.records
    for record in caplog.records:
        logged = logging.Formatter().format(record)
        assert "\x1b" not in logged
        assert "\nERROR forged" not in logged.replace("\r", "\n")


@pytest.mark.plain
def test_markup_in_names_and_reasons_stays_text(admin: Client) -> None:
    markup = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
    acme = at_priority(7, name=markup, policy=PolicyFactory(name=markup))
    told: Any = {"actor": markup, "reason": markup, "source": markup}
    services.reset(acme.key, **told)
    services.pin(acme.key, priority=9, until=None, **told)
    DocumentDecisionFactory(customer=acme, document=markup)
    change = reverse("admin:doc_priority_customer_change", args=[acme.pk])
    history = reverse("admin:doc_priority_customer_history", args=[acme.pk])
    event = reverse("admin:doc_priority_event_change", args=[Event.objects.latest("pk").pk])
    sent = send(admin, RESET, ask(admin, RESET, acme), reason=markup)
    pages = [admin.get(address) for address in (*PAGES, change, history, event)]
    for page in (*pages, ask(admin, RESET, acme), sent):
        content = page.content.decode()
        assert "<img src=x" not in content
        assert "<script>alert" not in content
        if page.request["PATH_INFO"] in (reverse(CUSTOMERS), LIST, change, event):
            assert "&lt;script&gt;alert(1)" in content
