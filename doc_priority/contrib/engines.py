"""The number, or the queue, that stands for a priority on each engine."""

from collections.abc import Iterable
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
    """What to give this engine so that it takes the nine levels in order; with the depth within 9.

    For RQ this is the name of a queue, for all others a number.
    """
    return engine_priorities([decision], engine)[0]


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
    try:
        known = Engine(engine)
    except ValueError as error:
        nearest = get_close_matches(str(engine).lower(), Engine, n=1, cutoff=0)[0]
        raise UnknownEngine(
            f"There is no engine {shortened(engine, 80)}. Did you mean '{nearest}'? "
            f"Known are {', '.join(Engine)}."
        ) from error
    thresholds_of = cache(selectors.thresholds_of)
    levels = []
    for one in decisions:
        depth = 0
        # Also where support pinned 9: a pin to the last level must not help a flood.
        if known in _FINE and one.priority == WORST_PRIORITY:
            depth = depth_of(one.pending_documents, thresholds_of(one.policy))
        levels.append(level(known, priority=one.priority, depth=depth))
    return levels


def as_sent(decisions: Iterable[Decision]) -> list[Decision]:
    """The decisions to send at: a repeated one with the worse of its own and the live priority.

    It is not counted again, so at its own alone whoever sends one document again and again would
    have all of that done first.
    """
    live = cache(services.peek)
    sent = []
    for one in decisions:
        if one.repeated:
            both = (one, live(one.customer))
            worse = max(both, key=lambda decision: (decision.priority, -decision.pending_documents))
            one = replace(one, priority=worse.priority, pending_documents=worse.pending_documents)
        sent.append(one)
    return sent
