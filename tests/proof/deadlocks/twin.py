"""How not to count many: one UPDATE for each customer, in the order in which they were given."""

from collections.abc import Sequence
from functools import partial
from threading import Event

from django.db import OperationalError, connection, transaction
from django.db.models import F

from doc_priority.models import Counter
from tests.concurrency.crowd import in_threads
from tests.proof.deadlocks.calls import Call

DEADLOCKS = {"postgresql": "40P01", "mysql": 1213}


def deadlocks_of_the_naive(calls: Sequence[Call], *, threads: int, patience: float) -> int:
    """How many of the threads met one; none goes on after the first."""
    met = Event()
    shares = [calls[number::threads] for number in range(threads)]
    return sum(in_threads([partial(_meets_one, share, met) for share in shares], patience=patience))


def _meets_one(calls: Sequence[Call], met: Event) -> bool:
    for call in calls:
        if met.is_set():
            return False
        try:
            _count_in_the_order_given(call)
        except OperationalError as error:
            if not _is_deadlock(error):
                raise
            met.set()
            return True
    return False


def _count_in_the_order_given(call: Call) -> None:
    with transaction.atomic():
        for key in call.keys:
            counter = Counter.objects.filter(customer=key)
            counter.update(pending_documents=F("pending_documents") - 1)


def _is_deadlock(error: OperationalError) -> bool:
    code = getattr(error.__cause__, "sqlstate", None) or error.args[0]
    return code == DEADLOCKS[connection.vendor]
