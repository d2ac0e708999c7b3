"""The list of events and the page of one, as a test reads them."""

import re
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from doc_priority.models import Event

LIST = "/admin/doc_priority/event/"


def page_of(event: Event) -> str:
    return reverse("admin:doc_priority_event_change", args=[event.pk])


def events_on(response: HttpResponse) -> list[Event]:
    assert response.status_code == 200
    return list(response.context["cl"].result_list)  # type: ignore[attr-defined]


def found(client: Client, **parameters: str) -> list[Event]:
    return events_on(client.get(f"{LIST}?{urlencode(parameters)}"))


def listed(client: Client, **parameters: str) -> str:
    """The first row of the list, cell by cell, as text."""
    response = client.get(f"{LIST}?{urlencode(parameters)}")
    return response.content.decode().split("<tbody>")[1].split("</tr>")[0]


def cell(client: Client, name: str) -> str:
    """What the newest event has in this column, as text."""
    return re.sub("<[^>]*>", "", html_cell(client, name))


def html_cell(client: Client, name: str) -> str:
    return listed(client).split(f'field-{name}">')[1].partition("</t")[0]


def clock(moment: datetime) -> str:
    return timezone.localtime(moment).strftime("%H:%M")


def fact(client: Client, event: Event) -> list[str]:
    """What the event's page says of before and after, line by line."""
    content = client.get(page_of(event)).content.decode()
    return re.findall("<div>(.*?)</div>", content.split("field-facts")[1])
