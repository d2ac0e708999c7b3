"""Send what the plan says, each document at its moment: `python -m benchmarks.noisy_publisher`.

The flood and the others are sent by two processes, so that nobody waits until it is in the queue.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib import import_module

import django
from django.db import transaction

from benchmarks.noisy_plan import FLOOD, Plan
from benchmarks.noisy_stamps import SENT, stamp
from doc_priority.types import SECOND

WARM, OTHERS = "warm", "others"
"""What is sent besides the flood."""

AT_ONCE = 250
"""Documents of the flood in one transaction, as a portal enqueues what came in one archive."""
Send = Callable[..., object]


def main() -> None:
    who, begin = sys.argv[1], int(sys.argv[2])
    django.setup()
    plan = Plan.current()
    send = _sender(plan.engine)
    if who == WARM:
        for number in range(plan.warm_up):
            send(customer_key=f"warm-{number}", document_id=f"warm:{number}:{number}")
        return
    documents = list(_documents(plan, flood=who == FLOOD))
    size = AT_ONCE if (who, plan.engine) == (FLOOD, "tasks") else 1
    for first in range(0, len(documents), size):
        with transaction.atomic() if size > 1 else nullcontext():
            for moment, customer, document in documents[first : first + size]:
                _wait_until(begin + moment)
                stamp(SENT, document)
                send(customer_key=customer, document_id=document)


def _sender(engine: str) -> Send:
    """How portal code sends a document."""
    process = import_module(f"benchmarks.noisy_{engine}").process
    send: Send = process.delay if engine == "celery" else process.enqueue
    return send


def _documents(plan: Plan, *, flood: bool) -> Iterator[tuple[int, str, str]]:
    """Moments, keys and ids of documents; of an id the second part is the customer's number."""
    arrivals = plan.scenario(service=plan.service).arrivals
    sent = zip(arrivals.moments, arrivals.customers, strict=True)
    for number, (moment, customer) in enumerate(sent):
        kind = arrivals.kinds[arrivals.kinds_of_customers[customer]].name
        if (kind == FLOOD) == flood:
            yield moment, f"{kind}-{customer}", f"{kind}:{customer}:{number}"


def _wait_until(microseconds: int) -> None:
    left = microseconds / SECOND - time.monotonic()
    if left > 0:
        time.sleep(left)


if __name__ == "__main__":
    main()
