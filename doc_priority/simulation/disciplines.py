"""The disciplines that are compared: the orders in which workers take documents."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush, heapreplace

from doc_priority.rules import check, depth_of, priority_of
from doc_priority.simulation.scenario import Arrivals
from doc_priority.types import CounterState, PolicyTerms

NO_PRIORITY = 0


class InOrder:
    """First come, first served."""

    def __init__(self) -> None:
        self._waiting: deque[int] = deque()

    def put(self, document: int, customer: int, moment: int) -> int:
        """Add a document, and return its priority. Documents and customers are numbers."""
        self._waiting.append(document)
        return NO_PRIORITY

    def take(self) -> int:
        """Remove the next document of a queue that is not empty."""
        return self._waiting.popleft()


class InTurn:
    """One document of each customer that has any, then the next of each."""

    def __init__(self) -> None:
        # The customers in the order of their turns.
        self._waiting: OrderedDict[int, deque[int]] = OrderedDict()

    def put(self, document: int, customer: int, moment: int) -> int:
        self._waiting.setdefault(customer, deque()).append(document)
        return NO_PRIORITY

    def take(self) -> int:
        customer, waiting = self._waiting.popitem(last=False)
        document = waiting.popleft()
        if waiting:
            self._waiting[customer] = waiting
        return document


class ByPriority:
    """The best of the nine priorities first; within one, first come, first served.

    Unless `levels_only`, within priority 9 the customer with the smaller depth goes first.
    """

    def __init__(self, terms: PolicyTerms, *, levels_only: bool) -> None:
        self._terms = terms
        self._levels_only = levels_only
        self._counters: dict[int, CounterState] = defaultdict(CounterState)
        self._waiting: list[tuple[int, int, int]] = []

    def put(self, document: int, customer: int, moment: int) -> int:
        counter = check(self._counters[customer], self._terms, moment)
        self._counters[customer] = counter
        pending, thresholds = counter.pending_documents, self._terms.thresholds
        priority = priority_of(pending, thresholds)
        depth = 0 if self._levels_only else depth_of(pending, thresholds)
        heappush(self._waiting, (priority, depth, document))
        return priority

    def take(self) -> int:
        return heappop(self._waiting)[2]


Queue = InOrder | InTurn | ByPriority


@dataclass(frozen=True, slots=True)
class Discipline:
    """A name, and a function that creates an empty queue."""

    name: str
    queue: Callable[[], Queue]


FIRST_COME = Discipline("first come, first served", InOrder)
ROUND_ROBIN = Discipline("round robin", InTurn)


def by_priority(terms: PolicyTerms, *, levels_only: bool = False) -> Discipline:
    """The order of the priorities under this policy, named after its recovery.

    With depth, as with Django tasks and Procrastinate, or with the nine levels only.
    """
    return Discipline(terms.recovery, partial(ByPriority, terms, levels_only=levels_only))


@dataclass(frozen=True, slots=True)
class Played:
    """When a worker began each document, and its priority."""

    starts: list[int]
    priorities: bytearray


def play(arrivals: Arrivals, queue: Queue, *, workers: int, service: int) -> Played:
    """Let workers take all documents: each begins the next one as soon as it is free.

    Documents of the same moment arrive in the order of their customers.
    """
    played = Played([0] * len(arrivals), bytearray(len(arrivals)))
    free = [0] * workers
    """A heap of the times when the workers are free; the earliest is first."""
    waiting = 0

    def begin(moment: int) -> None:
        played.starts[queue.take()] = moment
        heapreplace(free, moment + service)

    sent = zip(arrivals.moments, arrivals.customers, strict=True)
    for document, (moment, customer) in enumerate(sent):
        while waiting and free[0] < moment:
            waiting -= 1
            begin(free[0])
        played.priorities[document] = queue.put(document, customer, moment)
        if free[0] <= moment:
            begin(moment)
        else:
            waiting += 1
    for _ in range(waiting):
        begin(free[0])
    return played
