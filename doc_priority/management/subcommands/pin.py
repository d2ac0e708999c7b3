"""`pin`: set a priority by hand until a time, or without an end."""

from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from doc_priority import services
from doc_priority.management.arguments import (
    SOURCE,
    add_actor,
    add_json,
    add_key,
    add_reason,
    duration,
    moment,
    priority,
)
from doc_priority.management.console import Console, shown_time
from doc_priority.management.decision_lines import lines_of
from doc_priority.selectors import database_now

HELP = "Pin KEY to a priority until a time or without an end, whatever its counter says."


def add_arguments(parser: ArgumentParser) -> None:
    add_key(parser)
    parser.add_argument("--priority", required=True, type=priority, help="From 1 to 9.")
    until = parser.add_mutually_exclusive_group(required=True)
    until.add_argument(
        "--until",
        type=moment,
        metavar="TIME",
        help="Such as 2030-01-31T18:00; without an offset in the time zone of the project.",
    )
    until.add_argument(
        "--for", dest="length", type=duration, metavar="SPAN", help="Such as 90m, 2h or 1d12h."
    )
    until.add_argument(
        "--no-end", action="store_true", help="It holds until somebody takes the pin off."
    )
    add_reason(parser, required=True)
    add_actor(parser)
    add_json(parser)


def handle(
    console: Console,
    *,
    key: str,
    priority: int,
    until: datetime | None,
    length: timedelta | None,
    reason: str,
    actor: str,
    **_: Any,
) -> None:
    end = until if length is None else database_now() + length
    decision = services.pin(
        key, priority=priority, until=end, actor=actor, reason=reason, source=SOURCE
    )
    console.answer(decision, lines_of([decision]))
    console.say(f"Pinned until {shown_time(end)}." if end else "Pinned without an end.")
