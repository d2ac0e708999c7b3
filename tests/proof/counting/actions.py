"""What a worker does with its items, and what it saw of each."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from doc_priority import services
from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Counter
from tests.proof.counting.items import Item


class Seen(NamedTuple):
    """The answer to one check, and how often the caller had to ask again before it came."""

    customer: str
    document: str
    pending_documents: int
    priority: int
    repeated: bool
    refused: int


def check(items: Sequence[Item]) -> list[Seen]:
    return [_checked(item) for item in items]


def _checked(item: Item) -> Seen:
    """Ask as a patient caller does: whoever is refused in a crowd, and not counted, asks again."""
    refused = 0
    while True:
        try:
            decision = services.check(item.customer, document=item.document)
        except (CounterBusy, TransactionConflict):
            refused += 1
        else:
            return Seen(
                item.customer,
                item.document,
                decision.pending_documents,
                decision.priority,
                decision.repeated,
                refused,
            )


def read_then_save(items: Sequence[Item]) -> list[Seen]:
    """How not to count: what others did between reading and saving is lost."""
    for item in items:
        counter = Counter.objects.get(customer=item.customer)
        counter.pending_documents -= 1
        counter.save()
    return []


ACTIONS: dict[str, Callable[[Sequence[Item]], list[Seen]]] = {
    "check": check,
    "read_then_save": read_then_save,
}
