"""What no browser sends: 400 on every page of ours, and no line of the log of its own."""

import logging
from urllib.parse import quote

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from factory.django import DjangoModelFactory

from doc_priority.models import Policy
from tests.admin.confirmations import RESET
from tests.admin.lists import CUSTOMERS
from tests.admin.policy_pages import ADD, PREVIEW, change_of
from tests.factories import CustomerFactory, EventFactory, PolicyFactory

pytestmark = pytest.mark.django_db

LISTS = tuple(
    reverse(f"admin:doc_priority_{name}")
    for name in (
        *("customer_changelist", "customer_live", "policy_changelist", "event_changelist"),
        *("dashboard", "rule", "customer_add", "policy_add", "policy_preview"),
    )
)
HALF_A_PAIR = {"unicode_escape": r"\ud800", "utf-7": "+2AA-"}
FORGED = "\r\nERROR forged a line\x1b[31m"


@pytest.mark.parametrize("address", LISTS)
@pytest.mark.parametrize("charset", HALF_A_PAIR)
def test_an_address_in_another_charset_is_refused(
    admin: Client, address: str, charset: str
) -> None:
    half = quote(HALF_A_PAIR[charset], safe="")
    for parameter in ("q", "policy", "name", "reason", "recovery"):
        answer = admin.generic(
            "GET",
            address,
            "x",
            f"text/plain; charset={charset}",
            QUERY_STRING=f"{parameter}={half}",
        )
        assert answer.status_code == 400


@pytest.mark.parametrize("charset", HALF_A_PAIR)
def test_a_form_in_another_charset_is_refused(admin: Client, charset: str) -> None:
    customer, policy = CustomerFactory.create(), PolicyFactory.create()
    part = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    fields = ("list", "name", "reason", "recovery", "_selected_action", "until")
    body = "".join("--x\r\n" + part.format(name, HALF_A_PAIR[charset]) for name in fields)
    body += "--x\r\n" + part.format("customers", customer.pk) + "--x--\r\n"
    for address in (reverse(RESET), reverse(CUSTOMERS), ADD, change_of(policy)):
        kind = f"multipart/form-data; boundary=x; charset={charset}"
        assert admin.generic("POST", address, body, kind).status_code == 400


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"'])
def test_a_form_in_utf_8_may_say_so(admin: Client, charset: str) -> None:
    kind = f"application/x-www-form-urlencoded; charset={charset}"
    assert admin.generic("POST", ADD, "name=x", kind).status_code == 200


@pytest.mark.parametrize("ticked", ["x", "\N{BOMB}", "1.5", "9" * 30, "²", "1,2", ""])
def test_ticks_of_policies_that_are_none_are_refused(admin: Client, ticked: str) -> None:
    PolicyFactory.create()
    answer = admin.post(
        reverse("admin:doc_priority_policy_changelist"),
        {"action": "delete_selected", "index": 0, "_selected_action": [ticked], "post": "yes"},
    )
    assert answer.status_code == 400
    assert Policy.objects.count() == 1


@pytest.mark.parametrize("page", ["change", "delete"])
@pytest.mark.parametrize("factory", [CustomerFactory, PolicyFactory, EventFactory])
def test_a_page_leaves_empty_by_which_field_it_is_looked_for(
    admin: Client, factory: type[DjangoModelFactory[Model]], page: str
) -> None:
    shown = factory.create()
    address = reverse(f"admin:doc_priority_{shown._meta.model_name}_{page}", args=[shown.pk])
    plain, empty = (admin.get(f"{address}{query}") for query in ("", "?_to_field="))
    assert empty.status_code == plain.status_code
    assert admin.post(address, {"_popup": "", "_to_field": ""}).status_code < 500


@pytest.mark.parametrize("address", [one for one in LISTS if one not in (PREVIEW,)])
def test_nobody_forges_a_line_of_the_log(
    admin: Client, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    for query in (f"{quote(FORGED)}=1", f"_to_field={quote(FORGED)}"):
        with caplog.at_level(logging.DEBUG):
            admin.get(f"{address}?{query}")

    for record in caplog.records:
        logged = logging.Formatter().format(record)
        assert "\x1b" not in logged
        assert "\nERROR forged" not in logged.replace("\r", "\n")
