"""`prune`: delete what is older than the settings keep."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from doc_priority.management.arguments import add_json, positive
from doc_priority.management.console import Console
from doc_priority.services.pruning import BATCH_SIZE, BUSY_PERCENT, Pruned, prunable, prune

HELP = "Delete decisions and events older than DOCUMENT_RETENTION_DAYS and EVENT_RETENTION_DAYS."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--batch-size",
        type=positive,
        default=BATCH_SIZE,
        help="Rows deleted in one transaction; default: %(default)s.",
    )
    parser.add_argument(
        "--busy-percent",
        type=positive,
        default=BUSY_PERCENT,
        metavar="PERCENT",
        help="How much of the time it deletes; for the rest it pauses, so that checks go on as "
        "before; 100 is without a pause; default: %(default)s.",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="Count what would go; delete nothing."
    )
    add_json(parser)


def handle(
    console: Console, *, batch_size: int, busy_percent: int, dry_run: bool, **_: Any
) -> None:
    if dry_run:
        _answer(console, prunable(), dry_run=True)
        return
    pruned = Pruned(decisions=0, events=0)
    for pruned in prune(batch_size=batch_size, busy_percent=busy_percent):
        console.report(f"Deleted so far: {_counts(pruned)}.")
    _answer(console, pruned, dry_run=False)


def _answer(console: Console, pruned: Pruned, *, dry_run: bool) -> None:
    verb = "Would delete" if dry_run else "Deleted"
    console.answer({**asdict(pruned), "dry_run": dry_run}, [f"{verb} {_counts(pruned)}."])


def _counts(pruned: Pruned) -> str:
    return f"{pruned.decisions:,} decisions and {pruned.events:,} events"
