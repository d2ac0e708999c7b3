"""The live list's first page, asked for while customers become more and more."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from statistics import median
from typing import NamedTuple

from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks import rest_people
from benchmarks.rest_plan import Person
from doc_priority.models import Counter, Customer
from doc_priority.services import check_many

PATH = "/api/customers/"
ORDERINGS = ("customer", "-priority")
BATCH = 10_000
ACTIVE = 20
"""Every so many is counting now; the others were last seen a day ago."""
MOST_DOCUMENTS = 30
TIMES = 15


POLL = "polled with its ETag"

Page = Callable[[], HttpResponse]


class Measured(NamedTuple):
    status: int
    queries: int
    milliseconds: float


def measured_in(database: str, sizes: Sequence[int]) -> dict[str, list[Measured]]:
    """For each page its queries and its median time, at every size."""
    token = rest_people.prepared(database, customers=0)[Person.SUPERUSER]
    client = Client(headers={"authorization": f"Token {token}"})
    found: dict[str, list[Measured]] = {}
    made = 0
    for size in sizes:
        _add(made, size)
        made = size
        for name, page in _pages(client):
            found.setdefault(name, []).append(_measured(page))
    return found


def _add(first: int, end: int) -> None:
    """Customers up to this number, and the statistics that the database plans with."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    for start in range(first, end, BATCH):
        numbers = range(start, min(start + BATCH, end))
        check_many([_key(number) for number in numbers], at=yesterday)
        active = numbers[::ACTIVE]
        check_many(
            [_key(number) for number in active for _ in range(number // ACTIVE % MOST_DOCUMENTS)]
        )
    _analyze()


def _key(number: int) -> str:
    return f"customer-{number:06}"


def _analyze() -> None:
    tables = ", ".join(model._meta.db_table for model in (Customer, Counter))
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {'TABLE ' + tables if connection.vendor == 'mysql' else ''}")


def _pages(client: Client) -> Iterator[tuple[str, Page]]:
    for ordering in ORDERINGS:
        yield f"by {ordering}", partial(client.get, PATH, {"ordering": ordering})
    etag = client.get(PATH)["ETag"]
    yield POLL, partial(client.get, PATH, headers={"if-none-match": etag})


def _measured(page: Page) -> Measured:
    status = page().status_code
    with CaptureQueriesContext(connection) as queries:
        page()
    count = len(queries)  # Django forgets them at the next request
    return Measured(status, count, median(_seconds(page) for _ in range(TIMES)) * 1000)


def _seconds(page: Page) -> float:
    started = time.perf_counter()
    page()
    return time.perf_counter() - started
