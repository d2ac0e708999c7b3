"""The pages of the admin, asked for in turns with few and with many customers."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import NamedTuple

from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from benchmarks.admin_customers import fill
from doc_priority.models import Customer, Policy

LIST = "admin:doc_priority_customer_changelist"

QUERIES = (
    "",
    "p=2",
    "priority=7-9",
    "priority=1-3",
    "priority=1",
    "state=counting",
    "state=idle",
    "state=pinned",
    "policy=default",
    "policy=contract",
    "q=customer-000777",
    "q=ltd company",
)
"""The last two find one customer and everybody."""

Ask = Callable[[], object]


class Measured(NamedTuple):
    """One page, with few and with many customers."""

    few_queries: int
    many_queries: int
    few_milliseconds: float
    many_milliseconds: float
    ratio: float


class Place:
    """A database with customers, and somebody who has signed in to its admin."""

    def __init__(self, alias: str, *, customers: int, counting: int) -> None:
        self.alias = alias
        fill(alias, customers=customers, counting=counting)
        self.enter()
        self.client = Client()
        self.client.force_login(User.objects.create_superuser("root"))
        self.pages = dict(self._pages())

    def enter(self) -> None:
        """From now on this is the process's default database."""
        connections["default"] = connections[self.alias]
        ContentType.objects.clear_cache()  # it remembers another database's numbers

    def _pages(self) -> Iterator[tuple[str, Ask]]:
        contract = Policy.objects.get().pk
        worst_first = Customer.objects.live().order_by("-priority", "pending_documents", "key")
        customer = worst_first[0].pk
        rows = ",".join(str(pk) for pk in worst_first.values_list("pk", flat=True)[:100])
        for query in QUERIES:
            asked = query.replace("contract", str(contract))
            yield f"list ?{query}", partial(self._ask, reverse(LIST), asked)
        live = reverse("admin:doc_priority_customer_live")
        yield "refresh of the list", partial(self._ask, live, f"live={rows}")
        yield "dashboard", partial(self._ask, reverse("admin:doc_priority_dashboard"))
        refresh = reverse("admin:doc_priority_dashboard_live")
        yield "refresh of the dashboard", partial(self._ask, refresh)
        page = reverse("admin:doc_priority_customer_change", args=[customer])
        yield "customer", partial(self._ask, page)
        yield "events", partial(self._ask, reverse("admin:doc_priority_event_changelist"))

    def _ask(self, path: str, query: str = "") -> None:
        response = self.client.get(f"{path}?{query}")
        if response.status_code != 200:
            raise SystemExit(f"{path}?{query}: {response.status_code}")


def measured_in(few: Place, many: Place, *, rounds: int) -> Iterator[tuple[str, Measured]]:
    """For each page its queries and times; a ratio is that of two requests after each other."""
    for name in few.pages:
        queries = [_queries(place, name) for place in (few, many)]
        pairs = [(_seconds(few, name), _seconds(many, name)) for _ in range(rounds)]
        yield (
            name,
            Measured(
                *queries,
                median(pair[0] for pair in pairs) * 1000,
                median(pair[1] for pair in pairs) * 1000,
                median(pair[1] / pair[0] for pair in pairs),
            ),
        )


def _queries(place: Place, name: str) -> int:
    place.enter()
    place.pages[name]()
    with CaptureQueriesContext(connections["default"]) as queries:
        connections["default"].force_debug_cursor = True
        place.pages[name]()
        return len(connections["default"].queries_log) or len(queries)


def _seconds(place: Place, name: str) -> float:
    place.enter()
    started = time.perf_counter()
    place.pages[name]()
    return time.perf_counter() - started
