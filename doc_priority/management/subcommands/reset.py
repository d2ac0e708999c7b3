"""`reset`: put counters to 0 by hand."""

from argparse import ArgumentParser
from typing import Any

from doc_priority import services
from doc_priority.management.arguments import (
    SOURCE,
    add_actor,
    add_json,
    add_keys,
    add_reason,
)
from doc_priority.management.console import Console
from doc_priority.management.decision_lines import lines_of

HELP = "Put the counter of each KEY to 0; all keys or none."


def add_arguments(parser: ArgumentParser) -> None:
    add_keys(parser)
    add_reason(parser, required=True)
    add_actor(parser)
    add_json(parser)


def handle(console: Console, *, keys: list[str], reason: str, actor: str, **_: Any) -> None:
    decisions = services.reset_many(keys, actor=actor, reason=reason, source=SOURCE)
    console.answer(decisions, lines_of(decisions))
