"""The page on which a correction is confirmed, as one comes to it and sends it."""

import re

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from doc_priority.models import Customer
from tests.admin.conftest import CUSTOMERS

RESET = "admin:doc_priority_customer_reset"
PIN = "admin:doc_priority_customer_pin"
UNPIN = "admin:doc_priority_customer_unpin"
FORGET = "admin:doc_priority_customer_forget"
LATER = "2126-11-18T10:00"
_HIDDEN = re.compile(r'<input type="hidden" name="(customers|seen|list)" value="([^"]*)">')


def ask(client: Client, name: str, *customers: Customer) -> HttpResponse:
    """The confirmation as one comes to it from a customer's page."""
    asked = client.get(reverse(name), {"customer": [one.pk for one in customers]})
    assert asked.status_code == 200
    return asked


def tick(client: Client, action: str, *customers: Customer, query: str = "") -> HttpResponse:
    """The confirmation as one comes to it from the list."""
    return client.post(
        f"{reverse(CUSTOMERS)}?{query}",
        {"action": action, "index": 0, "_selected_action": [one.pk for one in customers]},
    )


def send(client: Client, name: str, asked: HttpResponse, **filled_in: str) -> HttpResponse:
    """Press the button of the page that was asked for."""
    return client.post(reverse(name), hidden_fields(asked) | filled_in, follow=True)


def hidden_fields(asked: HttpResponse) -> dict[str, str]:
    return dict(_HIDDEN.findall(asked.content.decode()))
