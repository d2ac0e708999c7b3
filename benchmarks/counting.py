"""The app itself: one check, one with a document, many at once."""

import itertools
import random
import time
from collections.abc import Callable
from functools import partial

from benchmarks.run import CUSTOMERS, customer
from doc_priority.conf import settings
from doc_priority.counters.rows import CountedRow
from doc_priority.services import check, check_many
from doc_priority.services.bulk import _decisions

Operation = Callable[[], object]

DOCUMENTS = 10_000


def one_check(key: str) -> Operation:
    return partial(check, key)


def new_documents(key: str) -> Operation:
    """Every check names a document never named before."""
    slice_of_time = time.time_ns()
    numbers = itertools.count()
    return lambda: check(key, document=f"{slice_of_time}-{next(numbers)}")


def repeated_document(key: str) -> Operation:
    return partial(check, key, document="again")


def customers_in_a_loop(key: str) -> Operation:
    """One check, of another customer each time."""
    following = itertools.cycle(_customers_in_no_order())
    return lambda: check(next(following))


def customers_at_once(key: str) -> Operation:
    return partial(check_many, _customers_in_no_order())


def documents_at_once(key: str) -> Operation:
    return partial(check_many, [key] * DOCUMENTS)


def decision_list(key: str) -> Operation:
    """Only the list of decisions that `documents_at_once` gives back; no database."""
    now = time.time_ns() // 1000
    row = CountedRow(key, -2 * DOCUMENTS, now, now, None, None, None, -DOCUMENTS, now, now)
    return lambda: _decisions(row, DOCUMENTS, settings.default_policy)


def _customers_in_no_order() -> list[str]:
    keys = [customer(number) for number in range(CUSTOMERS)]
    random.Random(9).shuffle(keys)  # noqa: S311
    return keys
