"""How observers learn of a service's call, and of what it committed."""

import time
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.db import DatabaseError

from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Event
from doc_priority.observing import Call, Checked, Observer, Result, observers, tell, tell_one
from doc_priority.services.transactions import after_commit
from doc_priority.types import Decision

P = ParamSpec("P")
T = TypeVar("T")

CHECKS = frozenset({"check", "check_many"})
NOTHING: Mapping[Checked, int] = {}


def observed(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A service that observers know by this name."""

    def wrap(service: Callable[P, T]) -> Callable[P, T]:
        @wraps(service)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            if not observers:
                return service(*args, **kwargs)
            return _told(name, lambda: service(*args, **kwargs))

        return call

    return wrap


def tell_of_events(events: Iterable[Event]) -> None:
    """Tell what was corrected, and through what, once it is committed."""
    if not observers:
        return
    tally = Tally((str(event.kind), event.source) for event in events)

    def told() -> None:
        for (kind, source), number in tally.items():
            _tell_corrected(kind, source, number)

    after_commit(told)


def _told(name: str, service: Callable[[], T]) -> T:
    begun = [(one, tell_one(one, lambda one: one.began(name))) for one in observers]
    started = time.perf_counter()
    try:
        result = service()
    except BaseException as error:
        _end(begun, Call(name, time.perf_counter() - started, NOTHING, _code_of(error)))
        raise
    checks = _tally(result) if name in CHECKS else NOTHING
    _end(begun, Call(name, time.perf_counter() - started, checks))
    if checks:
        after_commit(lambda: tell(lambda one: one.checked(checks)))
    return result


def _tell_corrected(kind: str, source: str, number: int) -> None:
    tell(lambda one: one.corrected(kind, source, number))


def _end(begun: list[tuple[Observer, Any]], call: Call) -> None:
    """The last that began ends first."""
    for one, token in reversed(begun):
        _end_one(one, call, token)


def _end_one(observer: Observer, call: Call, begun: Any) -> None:
    tell_one(observer, lambda one: one.ended(call, begun))


def _code_of(error: BaseException) -> str:
    match error:
        case DocPriorityError():
            return error.code
        case DatabaseError():
            return "database_error"
    return "unexpected_error"


def _tally(result: Any) -> Mapping[Checked, int]:
    decisions = result if isinstance(result, list) else [result]
    return Tally(map(_checked, decisions))


def _checked(decision: Decision) -> Checked:
    return Checked(_result_of(decision), decision.priority, decision.pinned)


def _result_of(decision: Decision) -> Result:
    if decision.repeated:
        return Result.REPEATED
    if decision.reset:
        return Result.RESET
    return Result.FIRST if decision.pending_documents == 0 else Result.COUNTED
