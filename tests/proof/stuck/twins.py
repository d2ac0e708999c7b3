"""How not to wait, and how not to fail: naive ways, which must be found out."""

from collections.abc import Sequence
from functools import partial
from threading import Event

from django.db import transaction

from doc_priority import services
from doc_priority.exceptions import CounterBusy
from doc_priority.models import Counter
from tests.concurrency.crowd import in_threads
from tests.proof.stuck import limits
from tests.proof.stuck.waiters import HOLD, STUCK, Wait, late_or_unnamed, told_by, waited
from tests.proof.suite import Trial
from tests.sessions import open_transaction
from tests.stored import everything_stored

LONGER = 1.0
"""So many seconds after the limit the row is free again: nobody waits for ever."""

WAITERS = 4
FREE = "free-0"


def wait_without_a_timeout(trial: Trial) -> None:
    kept = Event()
    works = [partial(_keep, kept), *[partial(_wait_for_ever, kept)] * WAITERS]
    waits = [wait for seen in in_threads(works) for wait in seen]
    limit = limits.of_a_wait()
    late = late_or_unnamed(waits, limit=limit)
    trial.control(
        "locking the row without a timeout, and calling it busy afterwards",
        seen=f"{len(late)} of {len(waits)} waiters were not told in {limit:g} s",
        caught=len(late) == len(waits),
    )


def _keep(kept: Event) -> list[Wait]:
    with open_transaction(HOLD):
        kept.set()
        Event().wait(limits.of_a_wait() + LONGER)
    return []


def _wait_for_ever(kept: Event) -> list[Wait]:
    kept.wait()
    return [waited("select_for_update", partial(told_by, _lock, STUCK))]


def _lock(key: str) -> None:
    """Whoever is told so has the right name for it; only the time is wrong."""
    with transaction.atomic():
        Counter.objects.select_for_update().get(customer=key)
    raise CounterBusy


def count_one_by_one(trial: Trial) -> None:
    """SQLite has one lock for everything, and there even this does nothing by halves."""
    before = everything_stored()
    with open_transaction(HOLD):
        refused = _refused([FREE, STUCK])
    half_done = everything_stored() != before
    trial.control(
        "counting many one by one, and going on after an error",
        seen=f"{refused} of 2 refused, {'something' if half_done else 'nothing'} stored",
        caught=refused == 1 and half_done,
    )


def _refused(keys: Sequence[str]) -> int:
    refused = 0
    for key in keys:
        try:
            services.check(key)
        except CounterBusy:
            refused += 1
    return refused
