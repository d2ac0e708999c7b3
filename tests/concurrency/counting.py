"""What threads and processes do to counters, and what must have come of it."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Self

from doc_priority import services
from doc_priority.models import Counter, Customer
from doc_priority.types import Decision


class Counted(NamedTuple):
    """What a worker saw of one check."""

    customer: str
    pending_documents: int
    decided_at: datetime

    @classmethod
    def by(cls, decision: Decision) -> Self:
        return cls(decision.customer, decision.pending_documents, decision.decided_at)

    @classmethod
    def of(cls, row: Sequence[Any]) -> Self:
        customer, pending_documents, decided_at = row
        return cls(customer, pending_documents, datetime.fromisoformat(decided_at))


def check(keys: Iterable[str]) -> list[Counted]:
    return [Counted.by(services.check(key)) for key in keys]


def read_then_save(keys: Iterable[str]) -> list[Counted]:
    """How not to count: what others did between reading and saving is lost."""
    for key in keys:
        counter = Counter.objects.get(customer=key)
        counter.pending_documents -= 1
        counter.save()
    return []


ACTIONS: dict[str, Callable[[Iterable[str]], list[Counted]]] = {
    "check": check,
    "read_then_save": read_then_save,
}


def make_customers(count: int) -> list[str]:
    """Customers with a counter at 0 that was never updated."""
    keys = [f"customer-{number:02}" for number in range(count)]
    Customer.objects.bulk_create([Customer(key=key) for key in keys])
    Counter.objects.bulk_create([Counter(customer_id=key) for key in keys])
    return keys


def assert_counted_exactly(seen: Iterable[Counted]) -> None:
    """Each customer's counts are 0, -1, … each once, and in this order time never went back."""
    of_customer: dict[str, list[Counted]] = {}
    for one in seen:
        of_customer.setdefault(one.customer, []).append(one)
    for key, counted in of_customer.items():
        counted.sort(key=lambda one: -one.pending_documents)
        assert [-one.pending_documents for one in counted] == list(range(len(counted)))
        times = [one.decided_at for one in counted]
        assert times == sorted(times)
        counter = Counter.objects.get(customer=key)
        assert (counter.pending_documents, counter.updated_at) == (1 - len(counted), times[-1])
