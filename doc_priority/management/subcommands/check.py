"""`check`: count one document per key."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import CommandError

from doc_priority import services
from doc_priority.management.arguments import add_json, add_keys
from doc_priority.management.console import Console
from doc_priority.management.decision_lines import lines_of

HELP = "Count one document for each KEY and show the priority it gets; all keys or none."


def add_arguments(parser: ArgumentParser) -> None:
    add_keys(parser)
    parser.add_argument(
        "--document",
        type=document_id,
        help="The portal's id of the document; checking it again counts nothing.",
    )
    add_json(parser)


def document_id(text: str) -> str:
    """An empty one would count each time, which who names a document does not want."""
    if not text:
        raise ArgumentTypeError("it is empty; leave --document out to count without an id.")
    return text


def handle(console: Console, *, keys: list[str], document: str | None, **_: Any) -> None:
    if document is None:
        decisions = services.check_many(keys)
    elif len(keys) == 1:
        decisions = [services.check(keys[0], document=document)]
    else:
        raise CommandError("--document names the document of one customer; give one KEY.")
    console.answer(decisions, lines_of(decisions))
