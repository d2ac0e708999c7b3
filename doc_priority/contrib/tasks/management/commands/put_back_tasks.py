"""`manage.py put_back_tasks`: for a scheduler that runs every few minutes."""

from argparse import ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from doc_priority.contrib.tasks.recovering import abandoned, put_back_abandoned
from doc_priority.exceptions import DocPriorityError
from doc_priority.validation import whole_number


class Command(BaseCommand):
    help = "Make listed tasks ready again whose worker was killed while it ran them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--older-than",
            required=True,
            type=seconds,
            metavar="SECONDS",
            help="Only tasks that have run for longer; give more than the longest task takes.",
        )
        parser.add_argument("--dry-run", action="store_true", help="Count only; change nothing.")

    def handle(self, *, older_than: timedelta, dry_run: bool, **options: Any) -> None:
        if dry_run:
            self.stdout.write(f"Would put back {_tasks(abandoned(older_than).count())}.")
            return
        try:
            count = put_back_abandoned(older_than=older_than)
        except DocPriorityError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Put back {_tasks(count)}.")


def seconds(text: str) -> timedelta:
    number = whole_number(text)
    if number is None:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds from 1 to 999999999.")
    return timedelta(seconds=number)


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count:,} tasks"
