"""`peek`: show what holds now and change nothing."""

from argparse import ArgumentParser
from typing import Any

from doc_priority import services
from doc_priority.management.arguments import add_json, add_keys
from doc_priority.management.console import Console
from doc_priority.management.decision_lines import lines_of

HELP = "Show the priority each KEY stands at now; nothing is counted."


def add_arguments(parser: ArgumentParser) -> None:
    add_keys(parser)
    add_json(parser)


def handle(console: Console, *, keys: list[str], **_: Any) -> None:
    decisions = [services.peek(key) for key in keys]
    console.answer(decisions, lines_of(decisions))
