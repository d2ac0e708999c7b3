"""Measure lists and the admin's pages with 1,000 and with 100,000 customers:
`python -m benchmarks.admin`.

Each must take as many queries with many customers as with few, and at most twice the time. Both
databases are asked in turns. Counting at a moment are as many customers in both: a pool of workers
gets no faster by having more customers. `--counting` says how many.
"""

import sys
import time
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

from django.db import connection

from benchmarks import rest, run
from benchmarks.run import customer
from tests import settings as of_tests

FEW, MANY = 1_000, 100_000
LARGE = "-large"
BATCH = 5_000
MOST = 2.0
SETTINGS: dict[str, Any] = {
    "ROOT_URLCONF": "tests.urls",
    "STATIC_URL": "static/",
    # Who signed in is looked for in the database at every request; the session is not.
    "SESSION_ENGINE": "django.contrib.sessions.backends.signed_cookies",
    "INSTALLED_APPS": [
        "doc_priority",
        *(f"django.contrib.{app}" for app in ("admin", "auth", "contenttypes", "sessions")),
        *(f"django.contrib.{app}" for app in ("messages", "staticfiles")),
        "rest_framework",
        "knox",
    ],
    "MIDDLEWARE": of_tests.MIDDLEWARE,
    "TEMPLATES": [{**of_tests.TEMPLATES[0], "DIRS": []}],
    "REST_FRAMEWORK": rest.SETTINGS["REST_FRAMEWORK"],
}


def main() -> int:
    parser = run.options("admin", __doc__, rounds=15, databases=True)
    parser.add_argument("--customers", type=int, default=MANY, help=f"instead of {MANY:,}")
    parser.add_argument("--counting", type=int, default=500, help="instead of 500")
    given = parser.parse_args()
    with run.prepared(given.databases, sizes=("", LARGE), **SETTINGS) as reached:
        servers = [alias for alias in reached if f"{alias}{LARGE}" in reached]
        kept = [
            is_kept(server, given.customers, counting=given.counting, rounds=given.rounds)
            for server in servers
        ]
    return 0 if all(kept) else 1


def is_kept(server: str, customers: int, *, counting: int, rounds: int) -> bool:
    """Whether every page kept to its queries and its time."""
    few, many = Portal(server), Portal(f"{server}{LARGE}")
    few.fill(FEW, counting)
    many.fill(customers, counting)
    run.say(f"{server}, {counting:,} customers counting of")
    run.say(f"  {'':<28}{FEW:>14,}{customers:>14,}{'ratio':>8}{'queries':>10}")
    missed = []
    many_pages = many.pages()
    for name, address in few.pages().items():
        queries = (few.queries(address), many.queries(many_pages[name]))
        pairs = [(few.seconds(address), many.seconds(many_pages[name])) for _ in range(rounds)]
        ratio = median(large / small for small, large in pairs)
        times = [f"{median(part) * 1000:.1f} ms" for part in zip(*pairs, strict=True)]
        told = f"{queries[0]} / {queries[1]}"
        run.say(f"  {name:<28}{times[0]:>14}{times[1]:>14}{ratio:>8.2f}{told:>10}")
        if ratio > MOST or queries[0] != queries[1]:
            missed.append(name)
    etag = many.ask("/api/v1/customers/")["ETag"]
    many.ask("/api/v1/customers/", 304, **{"if-none-match": etag})
    run.say(f"{'MISSED ' + ', '.join(missed) if missed else 'met'}\n")
    return not missed


class Portal:
    """A database with customers, and somebody who has signed in to its admin."""

    def __init__(self, alias: str) -> None:
        from django.contrib.auth.models import User
        from django.test import Client
        from knox.models import AuthToken

        self.alias = alias
        run.enter(alias)
        self.client = Client()
        user = User.objects.create_superuser("root")
        self.client.force_login(user)
        self.token = {"authorization": f"Token {AuthToken.objects.create(user)[1]}"}

    def pages(self) -> dict[str, str]:
        from doc_priority.models import Customer, Policy

        run.enter(self.alias)
        admin = "/admin/doc_priority"
        worst_first = Customer.objects.live().order_by("-priority", "pending_documents", "key")
        worst = list(worst_first.values_list("pk", flat=True)[:100])
        queries = {
            **dict.fromkeys(("", "p=2", "priority=7-9", "priority=1-3", "priority=1")),
            **dict.fromkeys(("state=counting", "state=idle", "state=pinned", "policy=default")),
            "policy=contract": f"policy={Policy.objects.get().pk}",
            "q=customer-000777": None,  # finds one
            "q=ltd+company": None,  # finds everybody
        }
        return {
            **{f"list ?{name}": f"{admin}/customer/?{it or name}" for name, it in queries.items()},
            "refresh of the list": f"{admin}/customer/live/?live={','.join(map(str, worst))}",
            "dashboard": f"{admin}/customer/dashboard/",
            "refresh of the dashboard": f"{admin}/customer/dashboard/live/",
            "customer": f"{admin}/customer/{worst[0]}/change/",
            "events": f"{admin}/event/",
            "REST list by customer": "/api/v1/customers/?ordering=customer",
            "REST list, worst first": "/api/v1/customers/?ordering=-priority",
        }

    def ask(self, address: str, status: int = 200, **headers: str) -> Any:
        response = self.client.get(address, headers={**self.token, **headers})
        if response.status_code != status:
            raise SystemExit(f"{address}: {response.status_code}")
        return response

    def seconds(self, address: str) -> float:
        run.enter(self.alias)
        started = time.perf_counter()
        self.ask(address)
        return time.perf_counter() - started

    def queries(self, address: str) -> int:
        from django.test.utils import CaptureQueriesContext

        self.seconds(address)  # so that all it reads is in the caches
        with CaptureQueriesContext(connection) as captured:
            self.ask(address)
        return len(captured)

    def fill(self, customers: int, counting: int) -> None:
        """So many are counting now, the others were two days ago; all have five documents."""
        from doc_priority.models import Customer, Event, Policy
        from doc_priority.services import check_many, pin_many

        run.enter(self.alias)
        now = datetime.now(UTC)
        policy = Policy.objects.create(name="contract", reset_interval=3600)
        for start in range(0, customers, BATCH):
            numbers = range(start, min(start + BATCH, customers))
            Customer.objects.bulk_create(
                Customer(
                    key=customer(number),
                    name=f"Company {number * 7_919 % 1_000_003} Ltd",
                    policy=policy if number % 97 == 1 and number // 97 < 10 else None,
                )
                for number in numbers
            )
            for document in range(5):
                ended = now - timedelta(days=2, hours=11 * (5 - document))
                check_many([(customer(one), f"D-{document}") for one in numbers], at=ended)
            Event.objects.bulk_create(
                Event(
                    customer=customer(number),
                    kind=Event.Kind.RESET,
                    actor="maria",
                    reason="asked on the phone",
                    before={"priority": 7, "pending_documents": -13},
                    after={"priority": 1, "pending_documents": 0},
                    created_at=now - timedelta(seconds=number),
                )
                for number in numbers[::10]
            )
        every = max(1, customers // counting)
        keys = [customer(number) for number in range(0, customers, every)]
        check_many([key for place, key in enumerate(keys) for _ in range(1 + place % 30)])
        pinned = [customer(89 * number + 2) for number in range(min(20, customers // 89))]
        pin_many(pinned, priority=2, until=now + timedelta(days=1))
        tables = ("customer", "counter", "documentdecision", "event")
        named = f"TABLE {', '.join(f'doc_priority_{table}' for table in tables)}"
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {named if connection.vendor == 'mysql' else ''}")


if __name__ == "__main__":
    sys.exit(main())
