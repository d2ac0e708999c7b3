"""Where documents wait, and which of them a free worker takes."""

from collections import deque
from heapq import heappop, heappush
from typing import Protocol

from doc_priority.rules import check, depth_of, priority_of
from doc_priority.types import WORST_PRIORITY, CounterState, PolicyTerms

NO_PRIORITY = 0


class Queue(Protocol):
    """Documents and customers are numbers."""

    def put(self, document: int, customer: int, moment: int) -> int:
        """Let a document wait; the priority it got."""

    def take(self) -> int:
        """The document that is next; there must be one."""


class InOrder:
    """First come, first served."""

    def __init__(self) -> None:
        self._waiting: deque[int] = deque()

    def put(self, document: int, customer: int, moment: int) -> int:
        self._waiting.append(document)
        return NO_PRIORITY

    def take(self) -> int:
        return self._waiting.popleft()


class InTurn:
    """One document of each customer that has any, then the next of each."""

    def __init__(self) -> None:
        self._waiting: dict[int, deque[int]] = {}
        self._turns: deque[int] = deque()

    def put(self, document: int, customer: int, moment: int) -> int:
        waiting = self._waiting.setdefault(customer, deque())
        if not waiting:
            self._turns.append(customer)
        waiting.append(document)
        return NO_PRIORITY

    def take(self) -> int:
        customer = self._turns.popleft()
        waiting = self._waiting[customer]
        document = waiting.popleft()
        if waiting:
            self._turns.append(customer)
        return document


class ByPriority:
    """The best of the nine levels first; within one, first come, first served."""

    def __init__(self, terms: PolicyTerms) -> None:
        self._terms = terms
        self._counters: dict[int, CounterState] = {}
        self._waiting: list[tuple[int, int, int]] = []

    def put(self, document: int, customer: int, moment: int) -> int:
        counter = check(self._counters.get(customer, _NEW), self._terms, moment)
        self._counters[customer] = counter
        priority = priority_of(counter.pending_documents, self._terms.thresholds)
        depth = self._depth(counter.pending_documents, priority)
        heappush(self._waiting, (priority, depth, document))
        return priority

    def take(self) -> int:
        return heappop(self._waiting)[2]

    def _depth(self, pending_documents: int, priority: int) -> int:
        return 0


class ByDepth(ByPriority):
    """Within the last level, too, the customer that is less far below its end goes first."""

    def _depth(self, pending_documents: int, priority: int) -> int:
        if priority != WORST_PRIORITY:
            return 0
        return depth_of(pending_documents, self._terms.thresholds)


_NEW = CounterState()
