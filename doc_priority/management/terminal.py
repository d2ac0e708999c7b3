"""What the subcommands share: their arguments, parsers of them, and text for a terminal."""

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable
from datetime import datetime, timedelta
from getpass import getuser

from django.utils import timezone

from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY, Decision
from doc_priority.validation import shortened, whole_number

_read_duration = re.compile(
    r"(?:(?P<days>\d{1,6})d)?(?:(?P<hours>\d{1,6})h)?"
    r"(?:(?P<minutes>\d{1,6})m)?(?:(?P<seconds>\d{1,6})s)?",
    re.ASCII,
).fullmatch


def add_key(parser: ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="The customer's key.")


def add_keys(parser: ArgumentParser) -> None:
    parser.add_argument("keys", nargs="+", metavar="KEY", help="A customer's key.")


def add_reason_and_actor(parser: ArgumentParser, *, required: bool = True) -> None:
    """The arguments of a correction: why, and by whom."""
    parser.add_argument(
        "--reason", required=required, type=reason, help="Why; kept with the event."
    )
    try:
        user = getuser()
    except (ImportError, KeyError, OSError):
        user = "unknown"
    parser.add_argument(
        "--actor",
        default=user,
        help="Who does it; kept with the event. Default: the operating system's user, %(default)s.",
    )


def refused(text: str, why: str) -> ArgumentTypeError:
    """The error for an argument that cannot be used: the text, then why, with the remedy."""
    return ArgumentTypeError(f"{shortened(text)} {why}")


def reason(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError("it is empty; say why in a few words.")
    return text.strip()


def document_id(text: str) -> str:
    """A document's id. Not an empty one: that would count each time."""
    if not text:
        raise ArgumentTypeError("it is empty; leave --document out to count without an id.")
    return text


def priority(text: str) -> int:
    number = whole_number(text)
    if number is None or number > WORST_PRIORITY:
        raise refused(text, f"is not a priority; give {BEST_PRIORITY} to {WORST_PRIORITY}.")
    return number


def positive(text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise refused(text, "is not a whole number from 1 to 999999999.")
    return number


def duration(text: str) -> timedelta:
    match = _read_duration(text)
    units = match.groupdict(default="0") if match else {}
    length = timedelta(**{unit: int(count) for unit, count in units.items()})
    if not length:
        raise refused(text, "is not a time span; write it as 90m, 2h or 1d12h.")
    return length


def moment(text: str) -> datetime:
    try:
        read = datetime.fromisoformat(text)
    except ValueError as error:
        raise refused(
            text, "is not a time; write it as 2030-01-31T18:00 or 2030-01-31T18:00Z."
        ) from error
    return timezone.make_aware(read) if timezone.is_naive(read) else read


def printable(text: str) -> str:
    """The text with a replacement for each character that could control the terminal."""
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


def local_time(moment: datetime | None) -> str:
    """The time in the project's time zone, to the second; a dash for None."""
    if moment is None:
        return "-"
    return timezone.localtime(moment).strftime("%Y-%m-%d %H:%M:%S %Z")


def lines_of(decisions: Iterable[Decision]) -> list[str]:
    """A line for each decision."""
    lines = []
    for decision in decisions:
        line = decision.customer
        if decision.document:
            line += f" document {printable(decision.document)}"
        line += f": priority {decision.priority}"
        if decision.pinned:
            line += " (pinned)"
        line += f", pending documents {decision.pending_documents}"
        if decision.policy:
            line += f", policy {printable(decision.policy)}"
        if decision.repeated:
            line += f", decided before, at {local_time(decision.decided_at)}"
        if decision.pending_documents and decision.resets_at:
            line += f", back at 0 at {local_time(decision.resets_at)}"
        lines.append(line)
    return lines
