"""Bugs on purpose: each is one that somebody might write, in the place of what is right."""

import csv
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from typing import Any
from unittest.mock import patch

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.test import override_settings
from django.urls import clear_url_caches, include, path
from django.utils.safestring import mark_safe
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

from doc_priority.admin import CustomerAdmin, EventAdmin
from doc_priority.admin.correcting import CorrectionPage, UnpinPage
from doc_priority.admin.corrections import RESET, UNPIN
from doc_priority.admin.dashboard import Dashboard
from doc_priority.admin.pages import Page
from doc_priority.api.permissions import HasOperationPermission
from doc_priority.api.views.customers import CustomerEndpoint
from doc_priority.models import Customer, Event
from tests.factories import now


@contextmanager
def markup_that_is_trusted() -> Iterator[None]:
    """`mark_safe` in a column of the list."""

    def customer(self: Any, row: Any) -> Any:
        return mark_safe(f'<bdi class="dp-name">{row.name}</bdi>')  # noqa: S308 - this is the bug

    with patch.object(CustomerAdmin, "customer", customer):
        yield


@contextmanager
def stored_before_it_is_refused() -> Iterator[None]:
    """A view that writes what it reads and looks at it afterwards."""
    right = CustomerEndpoint.patch

    def hasty(self: Any, request: Any, key: str) -> Any:
        Customer.objects.filter(key=key).update(name=str(request.body[:100]))
        return right(self, request, key)

    with patch.object(CustomerEndpoint, "patch", hasty):
        yield


@contextmanager
def number_taken_for_granted() -> Iterator[None]:
    """A search that takes for a number what somebody typed."""

    def search(self: Any, request: HttpRequest, rows: Any, words: str) -> Any:
        return (rows.filter(pk=int(words)) if words else rows), False

    with patch.object(EventAdmin, "get_search_results", search):
        yield


@contextmanager
def half_stored_before_an_error() -> Iterator[None]:
    """A page that stores one field, then says that it failed."""

    def hasty(self: Any, request: HttpRequest, object_id: Any = None, *_: Any) -> Any:
        Customer.objects.filter(pk=object_id).update(name="half")
        return _failed(self, request, HttpResponseRedirect("/admin/"))

    with patch.object(CustomerAdmin, "changeform_view", hasty):
        yield


@contextmanager
def all_stored_before_an_error() -> Iterator[None]:
    """A page that says it failed, once it has done everything."""
    right = CustomerAdmin.changeform_view

    def mistaken(self: Any, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return _failed(self, request, right(self, request, *args, **kwargs))

    with patch.object(CustomerAdmin, "changeform_view", mistaken):
        yield


def _failed(page: Any, request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    page.message_user(request, "This did not work.", messages.ERROR)
    return answer


@contextmanager
def page_that_nobody_listed() -> Iterator[None]:
    """A new page, for which no row says who may see it."""

    class Novelty(Dashboard):
        route = "novelty/"
        name = "doc_priority_novelty"

    with patch.object(CustomerAdmin, "pages", (*CustomerAdmin.pages, Novelty)), _addresses_anew():
        yield


@contextmanager
def everybody_permitted() -> Iterator[None]:
    """Permission classes that let all through who come."""
    with (
        patch.object(HasOperationPermission, "has_permission", lambda *_: True),
        patch.object(CorrectionPage, "is_permitted", lambda *_: True),
    ):
        yield


@contextmanager
def page_that_asks_for_another_right() -> Iterator[None]:
    """A page for those who may reset, which its neighbour has."""
    with patch.object(UnpinPage, "correction", replace(UNPIN, permission=RESET.permission)):
        yield


@contextmanager
def page_that_acts_on_get() -> Iterator[None]:
    """A page that writes down who looked at it."""
    right = Dashboard.respond

    def respond(self: Any, request: HttpRequest, **arguments: Any) -> HttpResponse:
        Event.objects.create(kind=Event.Kind.RESET, actor=str(request.user), created_at=now())
        return right(self, request, **arguments)

    with patch.object(Dashboard, "respond", respond):
        yield


@contextmanager
def page_without_token() -> Iterator[None]:
    """Pages that ask for no token, and may be framed."""
    view = csrf_exempt(xframe_options_exempt(Page.view))
    with patch.object(Page, "view", view), _addresses_anew():
        yield


@contextmanager
def _addresses_anew() -> Iterator[None]:
    urls = (
        path("admin/", admin.site.urls),
        path("api/v1/", include("doc_priority.api.urls")),
        path("metrics/", include("doc_priority.contrib.prometheus.urls")),
    )
    with override_settings(ROOT_URLCONF=urls):
        yield
    clear_url_caches()


@contextmanager
def table_as_it_is() -> Iterator[None]:
    """An export that writes cells as they are."""

    def naive(customers: Any) -> HttpResponse:
        file = StringIO()
        writer = csv.writer(file)
        writer.writerow(("customer", "name"))
        writer.writerows(customers.values_list("key", "name"))
        return HttpResponse(file.getvalue(), content_type="text/csv")

    with patch("doc_priority.admin.customer_list.csv_response", naive):
        yield


@contextmanager
def name_in_the_log() -> Iterator[None]:
    """A line of the log with what somebody typed."""
    right = CustomerEndpoint.patch

    def talkative(self: Any, request: Any, key: str) -> Any:
        logging.getLogger("doc_priority").info("%s is %s", key, request.data.get("name"))
        return right(self, request, key)

    with patch.object(CustomerEndpoint, "patch", talkative):
        yield
