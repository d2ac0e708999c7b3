"""`peek`: show what holds now and change nothing."""

from argparse import ArgumentParser
from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain
from typing import Any

from doc_priority import services
from doc_priority.explanations import explain
from doc_priority.management.arguments import add_json, add_keys
from doc_priority.management.console import Console, shown_text, shown_time
from doc_priority.management.decision_lines import lines_of
from doc_priority.models import Customer
from doc_priority.services.transactions import alias_for_write

HELP = "Show the priority each KEY stands at now; nothing is counted."


def add_arguments(parser: ArgumentParser) -> None:
    add_keys(parser)
    parser.add_argument("--why", action="store_true", help="Say in a sentence why it stands there.")
    add_json(parser)


def handle(console: Console, *, keys: list[str], why: bool, **_: Any) -> None:
    decisions = [services.peek(key) for key in keys]
    lines = lines_of(decisions)
    if not why:
        console.answer(decisions, lines)
        return
    sentences = _sentences(keys)
    explained = [
        {**asdict(decision), "explanation": sentence}
        for decision, sentence in zip(decisions, sentences, strict=True)
    ]
    indented = (f"  {sentence}" for sentence in sentences)
    console.answer(explained, chain.from_iterable(zip(lines, indented, strict=True)))


def _sentences(keys: Iterable[str]) -> list[str]:
    rows = Customer.objects.using(alias_for_write()).live().select_related("counter", "policy")
    return [shown_text(explain(rows.get(key=key), shown=shown_time)) for key in keys]
