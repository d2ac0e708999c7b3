"""What a hand can be told to do, and what it tells of it."""

import os
import time
from collections.abc import Callable, Sequence
from itertools import count
from random import Random
from typing import Any

from django.db import connection, transaction

from doc_priority import services
from doc_priority.exceptions import CustomerNotFound
from doc_priority.models import DocumentDecision
from doc_priority.services import pruning
from tests.proof.scale.filling import key_of

FORGOTTEN_BEHIND = 300
"""Whom `forget` takes has a decision so far behind the oldest: in the batch that goes next."""
LOCK = f"LOCK TABLE {DocumentDecision._meta.db_table} IN SHARE ROW EXCLUSIVE MODE"
LOCKED = 0.4
"""For so long at a time: nobody gives up waiting so soon."""

_documents = count()


def check(*, keys: Sequence[str], seconds: float) -> list[float]:
    """One customer after the other, for so long; how long each check took.

    Every second one names a new document, and so writes where prune deletes.
    """
    took: list[float] = []
    end = time.perf_counter() + seconds
    began = time.perf_counter()
    while began < end:
        document = _new_document() if len(took) % 2 else ""
        services.check(keys[len(took) % len(keys)], document=document)
        ended = time.perf_counter()
        took.append(ended - began)
        began = ended
    return took


def _new_document() -> str:
    return f"C-{os.getpid()}-{next(_documents)}"


def wear(*, customers: int, seed: int, checks: int, bulk: int, seconds: float) -> int:
    """So many checks of anybody at random, so many in one call; fewer if time is over."""
    random, end = Random(seed), time.monotonic() + seconds
    done = 0
    while done < checks and time.monotonic() < end:
        taken = min(bulk, checks - done)
        services.check_many([key_of(random.randrange(customers)) for _ in range(taken)])
        done += taken
    return done


def prune(*, seconds: float, busy_percent: int = pruning.BUSY_PERCENT) -> list[float]:
    """For so long; how long each batch took, its pause included."""
    took: list[float] = []
    end = began = time.perf_counter()
    end += seconds
    for _ in pruning.prune(busy_percent=busy_percent):
        ended = time.perf_counter()
        took.append(ended - began)
        if ended > end:
            break
        began = ended
    return took


def prune_locking_the_table(*, seconds: float) -> list[float]:
    """How not to prune: nobody else writes to the table during a batch, and there is no pause."""
    took: list[float] = []
    while sum(took) < seconds:
        began = time.perf_counter()
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(LOCK)
            prune(seconds=LOCKED, busy_percent=100)
        took.append(time.perf_counter() - began)
    return took


def prune_naively(*, seconds: float, **_options: int) -> list[float]:
    """How not to prune: one after the other in one transaction; for so long, and all is longer."""
    began = time.perf_counter()
    with transaction.atomic():
        for decision in DocumentDecision.objects.filter(document__startswith="OLD-").iterator():
            decision.delete()
            if time.perf_counter() - began > seconds:
                break
    return [time.perf_counter() - began]


def forget(*, seconds: float) -> list[float]:
    """For so long customers whose decisions are being pruned; how long each took."""
    took: list[float] = []
    oldest = DocumentDecision.objects.order_by("decided_at")
    end = time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        try:
            services.forget(oldest[FORGOTTEN_BEHIND].customer_id)
        except CustomerNotFound:
            continue
        took.append(time.perf_counter() - began)
    return took


ACTIONS: dict[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (check, wear, prune, prune_locking_the_table, prune_naively, forget)
}
