"""From page to page, as a client goes."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.api.conftest import PREFIX, Caller

Row = dict[str, Any]
Page = dict[str, Any]


def page_at(caller: Caller, link: str) -> Page:
    answer = caller.get(link.removeprefix(f"http://testserver{PREFIX}"))
    assert answer.status_code == 200, answer.content
    page: Page = answer.json()
    assert page.keys() == {"next", "previous", "results"}
    return page


def pages(
    caller: Caller, link: str, *, way: str = "next", between: Callable[[], object] = bool
) -> Iterator[Page]:
    """This page and all that come this way; something may happen between them."""
    page = page_at(caller, link)
    yield page
    while page[way] is not None:
        between()
        page = page_at(caller, page[way])
        yield page


def rows_of(caller: Caller, link: str) -> list[Row]:
    """All rows, from this page on."""
    return [row for page in pages(caller, link) for row in page["results"]]
