"""What a list of the admin shows."""

import re
from html import unescape

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

CUSTOMERS = "admin:doc_priority_customer_changelist"

_ROW = re.compile(r'data-customer="(\d+)" data-cell="priority"')
_TAGS = re.compile(r"<[^>]*>")


def listed(client: Client, query: str = "") -> list[int]:
    """The customers on the page of this address, in their order."""
    response = client.get(f"{reverse(CUSTOMERS)}?{query}")
    assert response.status_code == 200, response.headers.get("Location")
    return [int(pk) for pk in _ROW.findall(response.content.decode())]


def text_of(response: HttpResponse) -> str:
    """What a reader sees, with single spaces."""
    return " ".join(unescape(_TAGS.sub(" ", response.content.decode())).split())


def told(response: HttpResponse) -> list[str]:
    """The messages on a page that was redirected to."""
    return [str(message) for message in response.context["messages"]]
