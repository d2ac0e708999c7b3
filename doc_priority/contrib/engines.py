"""The number, or the queue, that stands for a priority on each engine."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from typing import Literal, overload

from doc_priority import selectors, services
from doc_priority.contrib.levels import Engine, level
from doc_priority.exceptions import UnknownEngine
from doc_priority.rules import depth_of
from doc_priority.types import WORST_PRIORITY, Decision
from doc_priority.validation import shortened

_Numbered = Literal[
    "celery-redis", "celery-rabbitmq", "django-tasks", "procrastinate", "huey", "dramatiq"
]

_FINE = {Engine.DJANGO_TASKS, Engine.PROCRASTINATE}
"""Have room for the ten depths within priority 9."""


@overload
def engine_priority(decision: Decision, engine: Literal["rq"]) -> str: ...


@overload
def engine_priority(decision: Decision, engine: _Numbered) -> int: ...


@overload
def engine_priority(decision: Decision, engine: str) -> int | str: ...


def engine_priority(decision: Decision, engine: str) -> int | str:
    """What this engine must be given so that it takes the nine levels in their order.

    For RQ this is the name of a queue, for all others a number.
    """
    return _level_of(decision, _engine_called(engine), selectors.thresholds_of)


@overload
def engine_priorities(decisions: Iterable[Decision], engine: Literal["rq"]) -> list[str]: ...


@overload
def engine_priorities(decisions: Iterable[Decision], engine: _Numbered) -> list[int]: ...


@overload
def engine_priorities(decisions: Iterable[Decision], engine: str) -> list[int | str]: ...


def engine_priorities(
    decisions: Iterable[Decision], engine: str
) -> list[int] | list[str] | list[int | str]:
    """The same for many, with no more than one query for each policy."""
    known, thresholds_of = _engine_called(engine), cache(selectors.thresholds_of)
    return [_level_of(decision, known, thresholds_of) for decision in decisions]


def as_sent(decisions: Iterable[Decision]) -> list[Decision]:
    """What each document is sent at: a repeat at the worse of its own and the live priority.

    It is not counted again, so at its own alone whoever sends one document again and again would
    have all of that done first.
    """
    live = cache(services.peek)
    return [_worse(one, live(one.customer)) if one.repeated else one for one in decisions]


def _worse(kept: Decision, live: Decision) -> Decision:
    depth, other = -kept.pending_documents, -live.pending_documents
    if (live.priority, other) <= (kept.priority, depth):
        return kept
    return replace(kept, priority=live.priority, pending_documents=live.pending_documents)


def _level_of(
    decision: Decision, engine: Engine, thresholds_of: Callable[[str], tuple[int, ...]]
) -> int | str:
    """By the counter also where support pinned 9: a pin to the last level must not help a flood."""
    depth = 0
    if engine in _FINE and decision.priority == WORST_PRIORITY:
        depth = depth_of(decision.pending_documents, thresholds_of(decision.policy))
    return level(engine, priority=decision.priority, depth=depth)


def _engine_called(name: str) -> Engine:
    try:
        return Engine(name)
    except ValueError as error:
        nearest = get_close_matches(str(name).lower(), Engine, n=1, cutoff=0)[0]
        raise UnknownEngine(
            f"There is no engine {shortened(name, 80)}. Did you mean '{nearest}'? "
            f"Known are {', '.join(Engine)}."
        ) from error
