"""`unpin`: take a pin off."""

from argparse import ArgumentParser
from typing import Any

from doc_priority import services
from doc_priority.management.arguments import SOURCE, add_actor, add_json, add_key, add_reason
from doc_priority.management.console import Console
from doc_priority.management.decision_lines import lines_of

HELP = "Take the pin off KEY; its counter decides again."


def add_arguments(parser: ArgumentParser) -> None:
    add_key(parser)
    add_reason(parser, required=False)
    add_actor(parser)
    add_json(parser)


def handle(console: Console, *, key: str, reason: str | None, actor: str, **_: Any) -> None:
    decision = services.unpin(key, actor=actor, reason=reason or "", source=SOURCE)
    console.answer(decision, lines_of([decision]))
