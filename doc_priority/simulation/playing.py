"""The workers take documents from a queue, by a clock of whole microseconds."""

from dataclasses import dataclass
from heapq import heapreplace

from doc_priority.simulation.arrivals import Arrivals
from doc_priority.simulation.queues import Queue


@dataclass(frozen=True, slots=True)
class Played:
    """Of each document, when a worker began it and which priority it had."""

    starts: list[int]
    priorities: bytearray


def play(arrivals: Arrivals, queue: Queue, *, workers: int, service: int) -> Played:
    """Every document is begun as soon as a worker is free and the queue gives it.

    Documents of one moment arrive one after another, in the order of their customers.
    """
    played = Played([0] * len(arrivals), bytearray(len(arrivals)))
    free = [0] * workers
    waiting = 0
    sent = zip(arrivals.moments, arrivals.customers, strict=True)
    for document, (moment, customer) in enumerate(sent):
        while waiting and free[0] < moment:
            waiting -= 1
            _begin(played, queue, free, free[0], service)
        played.priorities[document] = queue.put(document, customer, moment)
        if free[0] <= moment:
            _begin(played, queue, free, moment, service)
        else:
            waiting += 1
    for _ in range(waiting):
        _begin(played, queue, free, free[0], service)
    return played


def _begin(played: Played, queue: Queue, free: list[int], moment: int, service: int) -> None:
    """The worker that has been free for longest takes the next document."""
    played.starts[queue.take()] = moment
    heapreplace(free, moment + service)
