"""`forget`: erase a customer and what is kept of it."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from doc_priority import services
from doc_priority.management.arguments import SOURCE, add_actor, add_key, add_reason
from doc_priority.management.console import Console
from doc_priority.management.decision_lines import lines_of

HELP = "Erase KEY: the customer, its counter, its decisions and what its events tell."


def add_arguments(parser: ArgumentParser) -> None:
    add_key(parser)
    add_reason(parser, required=True)
    add_actor(parser)
    parser.add_argument("--yes", action="store_true", help="Do not ask; for scripts.")


def handle(console: Console, *, key: str, reason: str, actor: str, yes: bool, **_: Any) -> None:
    if not yes:
        _confirm(console, key)
    services.forget(key, actor=actor, reason=reason, source=SOURCE)
    console.answer(None, [f"{key} is forgotten."])


def _confirm(console: Console, key: str) -> None:
    if not sys.stdin.isatty():
        raise CommandError("There is no terminal to ask at; --yes forgets without asking.")
    for line in lines_of([services.peek(key)]):
        console.say(line)
    console.say("This customer is erased for good.")
    try:
        typed = input("Type its key to go on: ")
    except EOFError:
        typed = ""
    if typed != key:
        raise CommandError("That is not the key; nothing was erased.")
