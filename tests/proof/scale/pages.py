"""Pages of the admin and of the REST API, asked for as by somebody who signed in."""

from collections.abc import Callable

from django.urls import reverse

from doc_priority.api.pages import Cursor
from doc_priority.selectors import database_now
from doc_priority.validation import to_microseconds
from tests.proof.scale.filling import key_of
from tests.proof.scale.sizes import Size

ADMIN_PAGE = 100
REST_PAGE = 50

Page = Callable[[Size], None]


def page(path: str, query: str = "") -> Page:
    return lambda size: _ask(size, f"{path}?{query}")


def admin_list(query: str = "") -> Page:
    return page(reverse("admin:doc_priority_customer_changelist"), query)


def rest_list(query: str = "") -> Page:
    return page(reverse("doc_priority:customers"), query)


def rest_list_from(number: int) -> Page:
    """The page of this number, as the link on the one before it leads to it."""
    last = key_of((number - 1) * REST_PAGE - 1)

    def ask(size: Size) -> None:
        begun_at = to_microseconds(database_now())
        cursor = Cursor("customer", values=(last,), begun_at=begun_at)
        rest_list(f"cursor={cursor}")(size)

    return ask


def _ask(size: Size, address: str) -> None:
    response = size.client.get(address)
    if response.status_code != 200:
        raise RuntimeError(f"{address}: {response.status_code}")
