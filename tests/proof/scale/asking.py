"""What is asked of a database of any size, by the name it has in the table."""

from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import NamedTuple

from django.urls import reverse

from doc_priority import services
from doc_priority.admin.paging import WORST_FIRST
from doc_priority.models import Customer
from doc_priority.services.pruning import prune
from tests.proof.scale import pages
from tests.proof.scale.filling import counting_keys, key_of
from tests.proof.scale.sizes import Size

CHECKS = 100
"""In one turn: a single one is too short to be compared."""
OFTEN = 5

_documents = count()
_gone = count()
_random = Random(0)


class Question(NamedTuple):
    """What is asked; with fewer customers than `least` it makes no sense."""

    name: str
    ask: Callable[[Size], object]
    times: int = 1
    """So many things are done in one turn."""
    often: int = 1
    """So many times as many rounds as others: a check is to be told exactly."""
    least: int = 0


CHECK = Question("check", lambda size: _check(size), CHECKS, OFTEN)
CHECK_WITH_DOCUMENT = Question(
    "check with a document", lambda size: _check_with_document(size), CHECKS, OFTEN
)
CHECK_OF_ANYBODY = Question("check of anybody", lambda size: _check_anybody(size), CHECKS, OFTEN)
LIVE_LIST = Question("live list, page 1", pages.admin_list())
REST_LIST = Question("REST, page 1", pages.rest_list())
REST_WORST_FIRST = Question("REST, worst first", pages.rest_list("ordering=-priority"))
FILTERS = (
    *("priority=7-9", "priority=4", "priority=1-3", "priority=1"),
    *("state=counting", "state=idle", "state=pinned"),
    *("policy=default", "policy=1"),
)


def questions(deep: int) -> list[Question]:
    """All of them; a deep page is the one of this number."""
    checks = [CHECK, CHECK_WITH_DOCUMENT]
    return [*checks, *_admin_lists(deep), *_admin_pages(), *_rest(deep), *_changes()]


def naive_questions() -> list[Question]:
    """How not to ask."""
    return [
        Question("everybody in order of the live priority, page 1", _everybody_in_order),
        Question("everybody counted by the live priority", _everybody_counted),
    ]


def _admin_lists(deep: int) -> Iterator[Question]:
    yield LIVE_LIST
    yield deep_live_list(deep)
    for query in FILTERS:
        yield Question(f"live list, {query}", pages.admin_list(query))
    yield Question("search that finds one", pages.admin_list("q=customer-0000777"))
    yield Question("search that finds all", pages.admin_list("q=ltd+company"))


def deep_live_list(page: int) -> Question:
    name = f"live list, page {page:,}"
    return Question(name, pages.admin_list(f"p={page}"), least=page * pages.ADMIN_PAGE)


def _admin_pages() -> Iterator[Question]:
    yield Question("dashboard", pages.page(reverse("admin:doc_priority_dashboard")))
    events = reverse("admin:doc_priority_event_changelist")
    yield Question("events", pages.page(events))


def _rest(deep: int) -> Iterator[Question]:
    yield REST_LIST
    least = deep * pages.REST_PAGE
    yield Question(f"REST, page {deep:,}", pages.rest_list_from(deep), least=least)
    yield REST_WORST_FIRST
    yield Question("REST, priority_min=7", pages.rest_list("priority_min=7"))
    yield Question("REST, state=counting", pages.rest_list("state=counting"))
    yield Question("REST, statistics", pages.page(reverse("doc_priority:stats")))


def _changes() -> Iterator[Question]:
    yield CHECK_OF_ANYBODY
    yield Question("prune, one batch", _prune)
    yield Question("forget", _forget)


def _check(size: Size) -> None:
    for key in counting_keys(size.customers)[:CHECKS]:
        services.check(key)


def _check_anybody(size: Size) -> None:
    """Where there are millions their pages are hardly ever in the server's memory.

    They are read, and the first change after a checkpoint writes a page to the log as a whole.
    """
    for _ in range(CHECKS):
        services.check(key_of(_random.randrange(size.customers)))


def _check_with_document(size: Size) -> None:
    for key in counting_keys(size.customers)[:CHECKS]:
        services.check(key, document=f"N-{next(_documents)}")


def _prune(size: Size) -> None:
    next(prune())


def _forget(size: Size) -> None:
    """From the end on, and none of those who count: their numbers are even."""
    services.forget(key_of(size.customers - 1 - 2 * next(_gone)))


def _everybody_in_order(size: Size) -> None:
    list(Customer.objects.live().order_by(*WORST_FIRST)[: pages.ADMIN_PAGE])


def _everybody_counted(size: Size) -> None:
    Customer.objects.live().filter(priority__gte=7).count()
