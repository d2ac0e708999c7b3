"""What is measured by `benchmarks.check`: for a customer's key each gives what does it once."""

import functools
import itertools
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.core.cache import caches
from django.db import connection, transaction
from django.test import RequestFactory
from django_ratelimit.core import is_ratelimited
from limits import parse
from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from rest_framework.throttling import SimpleRateThrottle

from benchmarks.run import CUSTOMERS, customer
from doc_priority import observing, rules
from doc_priority.conf import settings as ours
from doc_priority.contrib.opentelemetry.tracing import tracing
from doc_priority.contrib.prometheus.metrics import recorder
from doc_priority.models import Counter
from doc_priority.services import check, check_many
from doc_priority.types import from_microseconds

Operation = Callable[[], object]

PLENTY = 1_000_000_000
if settings.REDIS:
    settings.CACHES["redis"] = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": f"redis://127.0.0.1:{settings.REDIS['volatile']}/1",
    }


def new_documents(key: str) -> Operation:
    """Every check names a document never named before."""
    slice_of_time, numbers = time.time_ns(), itertools.count()
    return lambda: check(key, document=f"{slice_of_time}-{next(numbers)}")


def all_customers() -> list[str]:
    keys = [customer(number) for number in range(CUSTOMERS)]
    random.Random(9).shuffle(keys)  # noqa: S311
    return keys


def customers_in_a_loop(key: str) -> Operation:
    """One check, of another customer each time."""
    following = itertools.cycle(all_customers())
    return lambda: check(next(following))


def lock_and_save(key: str, *, with_policy: bool) -> None:
    """The usual way: lock the counter, compute, save; by its customer's policy or known terms."""
    with transaction.atomic():
        if with_policy:
            # MariaDB cannot say which table to lock, and locks all three.
            of = ("self",) if connection.features.has_select_for_update_of else ()
            locked = Counter.objects.select_for_update(of=of).select_related("customer__policy")
            counter = locked.get(customer_id=key)
            policy = counter.customer.policy
            terms = policy.terms if policy else ours.default_policy.terms
        else:
            counter = Counter.objects.select_for_update().get(customer_id=key)
            terms = ours.default_policy.terms
        after = rules.check(counter.state, terms, time.time_ns() // 1000)
        counter.pending_documents = after.pending_documents
        counter.updated_at = from_microseconds(after.updated_at or 0)
        counter.recovered_at = from_microseconds(after.recovered_at or 0)
        counter.save(update_fields=["pending_documents", "updated_at", "recovered_at"])
        rules.priority_of(after.pending_documents, terms.thresholds)


def driver_alone(key: str) -> Operation:
    """The statement that a check sends, prepared where that can be; no Django, no decision."""
    execute, statement, parameters = _of_driver(connection.alias)

    def own(value: object) -> object:
        return key if value == customer(0) else value

    mine: Any = [own(value) for value in parameters]
    if isinstance(parameters, dict):
        mine = {name: own(value) for name, value in parameters.items()}
    return lambda: execute(statement, mine)


@functools.cache
def _of_driver(alias: str) -> tuple[Callable[[str, Any], object], str, Any]:
    sent: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        sent.append((sql, parameters))
        return execute(sql, parameters, many, context)

    check(customer(0))
    with connection.execute_wrapper(note):
        check(customer(0))
    statement, parameters = sent[-1]
    given, driver = connection.settings_dict, connection.Database
    options: dict[str, Any] = {}
    if connection.vendor == "postgresql":
        place = {name: given[name.upper()] for name in ("user", "password", "host", "port")}
        bare = driver.connect(dbname=given["NAME"], **place, autocommit=True)
        options = {"prepare": True}
    elif connection.vendor == "mysql":
        bare = driver.connect(**connection.get_connection_params(), autocommit=True)
    else:
        bare = driver.connect(given["NAME"], isolation_level=None)
        bare.executescript(given["OPTIONS"]["init_command"])
        # Django writes %(name)s for every driver; sqlite3 itself takes :name.
        statement %= {name: f":{name}" for name in parameters}
    cursor = bare.cursor()

    def execute(statement: str, parameters: Any) -> object:
        cursor.execute(statement, parameters, **options)
        return cursor.fetchone()

    return execute, statement, parameters


# The peers, each in its best case; none of them decides on a priority. What keeps a list or a text
# that grows with every count (DRF's throttle, django-axes) counts for many names in turn.


def names_of(key: str) -> Iterator[str]:
    return (f"{key}-{number}" for number in range(100))


def django_ratelimit(cache: str, key: str) -> Operation:
    settings.RATELIMIT_USE_CACHE = cache
    return partial(
        is_ratelimited,
        RequestFactory(headers={"X-Customer": key}).get("/"),
        group="check",
        key="header:x-customer",
        rate=f"{PLENTY}/h",
        increment=True,
    )


class CustomerThrottle(SimpleRateThrottle):
    """Never full, and its times are dropped after a second."""

    rate = f"{PLENTY}/second"

    def get_cache_key(self, request: Any, view: Any) -> str:
        return f"throttle-{request.META['HTTP_X_CUSTOMER']}"


def drf_throttle(cache: str, key: str) -> Operation:
    requests = itertools.cycle(
        [RequestFactory(headers={"X-Customer": name}).get("/") for name in names_of(key)]
    )

    def count() -> object:
        throttle: Any = CustomerThrottle()
        throttle.cache = caches[cache]
        return throttle.allow_request(next(requests), view=None)

    return count


def django_axes(key: str) -> Operation:
    """One failed login, as the database handler counts it."""
    names = itertools.cycle(names_of(key))
    factory = RequestFactory(headers={"User-Agent": "benchmark"})
    return lambda: AxesProxyHandler.user_login_failed(
        sender="benchmark", credentials={"username": next(names)}, request=factory.post("/")
    )


def limits_on_redis(kind: str, key: str) -> Operation:
    storage = storage_from_string(f"redis://127.0.0.1:{settings.REDIS[kind]}/0")
    return partial(FixedWindowRateLimiter(storage).hit, parse(f"{PLENTY}/hour"), key)


def begun(contender: str, key: str) -> Operation:
    """With those who watch it, and nobody else."""
    observing.observers[:] = OBSERVERS.get(contender, [])
    return CONTENDERS[contender](key)


trace.set_tracer_provider(TracerProvider(shutdown_on_exit=False))
OBSERVERS = {
    "watched by an observer that does nothing": [observing.Observer()],
    "watched by Prometheus": [recorder],
    "watched by OpenTelemetry": [tracing],
}
CONTENDERS: dict[str, Callable[[str], Operation]] = {
    **dict.fromkeys(("check", *OBSERVERS), lambda key: partial(check, key)),
    "check, new documents": new_documents,
    "check, a repeated document": lambda key: partial(check, key, document="again"),
    "check, one customer after another": customers_in_a_loop,
    "check_many, 10,000 customers": lambda key: partial(check_many, all_customers()),
    "check_many, 10,000 documents of one": lambda key: partial(check_many, [key] * 10_000),
    "driver alone": driver_alone,
    "select_for_update + save, with policy": partial(partial, lock_and_save, with_policy=True),
    "select_for_update + save, counter only": partial(partial, lock_and_save, with_policy=False),
    "django-ratelimit, database cache": partial(django_ratelimit, "database"),
    "DRF throttle, database cache": partial(drf_throttle, "database"),
    "django-axes, database handler": django_axes,
    "django-ratelimit, Redis": partial(django_ratelimit, "redis"),
    "DRF throttle, Redis": partial(drf_throttle, "redis"),
    "limits, Redis": partial(limits_on_redis, "volatile"),
    "limits, Redis appendfsync always": partial(limits_on_redis, "durable"),
}
