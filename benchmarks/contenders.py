"""All that can be measured, by the name it has in the plan."""

from collections.abc import Callable
from functools import partial

from benchmarks import counting, peers
from benchmarks.counting import Operation
from benchmarks.driver import driver_alone
from benchmarks.locking import lock_and_save, lock_and_save_leanest

CONTENDERS: dict[str, Callable[[str], Operation]] = {
    "check": counting.one_check,
    "check, new documents": counting.new_documents,
    "check, a repeated document": counting.repeated_document,
    "check, one customer after another": counting.customers_in_a_loop,
    "check_many, 10,000 customers": counting.customers_at_once,
    "check_many, 10,000 documents of one": counting.documents_at_once,
    "the list of 10,000 decisions": counting.decision_list,
    "driver alone": driver_alone,
    "select_for_update + save, with policy": lock_and_save,
    "select_for_update + save, counter only": lock_and_save_leanest,
    "django-ratelimit, database cache": partial(peers.django_ratelimit, "database"),
    "DRF throttle, database cache": partial(peers.drf_throttle, "database"),
    "django-axes, database handler": peers.django_axes,
    "django-ratelimit, Redis": partial(peers.django_ratelimit, "redis-volatile"),
    "DRF throttle, Redis": partial(peers.drf_throttle, "redis-volatile"),
    "limits, Redis": partial(peers.limits_on_redis, "volatile"),
    "limits, Redis appendfsync always": partial(peers.limits_on_redis, "durable"),
}
