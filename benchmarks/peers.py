"""Other apps' counts, each in its best case; none of them decides on a priority.

What keeps a list or a text that grows with every count (DRF's throttle, django-axes) counts for
many names in turn, so that it stays short.
"""

import itertools
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from axes.handlers.proxy import AxesProxyHandler  # type: ignore[import-untyped]
from django.conf import settings
from django.core.cache import caches
from django.test import RequestFactory
from django_ratelimit.core import is_ratelimited  # type: ignore[import-untyped]
from limits import parse
from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter
from rest_framework.throttling import SimpleRateThrottle

from benchmarks.counting import Operation
from benchmarks.run import Run

NAMES = 100
PLENTY = 1_000_000_000


def limits_on_redis(kind: str, key: str) -> Operation:
    return partial(_limiter(kind).hit, parse(f"{PLENTY}/hour"), key)


@cache
def _limiter(kind: str) -> FixedWindowRateLimiter:
    return FixedWindowRateLimiter(
        storage_from_string(f"redis://127.0.0.1:{Run.current().redis[kind]}/0")
    )


def django_ratelimit(cache_alias: str, key: str) -> Operation:
    settings.RATELIMIT_USE_CACHE = cache_alias
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


def drf_throttle(cache_alias: str, key: str) -> Operation:
    requests = itertools.cycle(
        [RequestFactory(headers={"X-Customer": name}).get("/") for name in _names(key)]
    )

    def count() -> object:
        throttle: Any = CustomerThrottle()
        throttle.cache = caches[cache_alias]
        return throttle.allow_request(next(requests), view=None)

    return count


def django_axes(key: str) -> Operation:
    """One failed login, as the database handler counts it."""
    names = itertools.cycle(_names(key))
    factory = RequestFactory(headers={"User-Agent": "benchmark"})
    return lambda: AxesProxyHandler.user_login_failed(
        sender="benchmark", credentials={"username": next(names)}, request=factory.post("/")
    )


def _names(key: str) -> Iterator[str]:
    return (f"{key}-{number}" for number in range(NAMES))
