"""The arguments that subcommands share, and how their text is read."""

import re
from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime, timedelta
from getpass import getuser

from django.utils import timezone

from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY

SOURCE = "command"
"""What an event names as the place it came from."""

_read_duration = re.compile(
    r"(?:(?P<days>\d{1,6})d)?(?:(?P<hours>\d{1,6})h)?"
    r"(?:(?P<minutes>\d{1,6})m)?(?:(?P<seconds>\d{1,6})s)?",
    re.ASCII,
).fullmatch


def add_keys(parser: ArgumentParser) -> None:
    parser.add_argument("keys", nargs="+", metavar="KEY", help="A customer's key.")


def add_key(parser: ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="The customer's key.")


def add_json(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--json",
        action="store_true",
        help="Answer in JSON on stdout, times in UTC; messages go to stderr.",
    )


def add_reason(parser: ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "--reason",
        required=required,
        type=reason,
        help="Why; it is kept with the event.",
    )


def add_actor(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--actor",
        default=operating_system_user(),
        help="Who does it; kept with the event. Default: the operating system's user, %(default)s.",
    )


def operating_system_user() -> str:
    """The name of whoever runs the command, where the system knows one."""
    try:
        return getuser()
    except (ImportError, KeyError, OSError):
        return "unknown"


def reason(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError("it is empty; say why in a few words.")
    return text.strip()


def priority(text: str) -> int:
    if not re.fullmatch("[1-9]", text):
        raise ArgumentTypeError(
            f"{text!r} is not a priority; give {BEST_PRIORITY} to {WORST_PRIORITY}."
        )
    return int(text)


def positive(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to 999999999.")
    return int(text)


def duration(text: str) -> timedelta:
    match = _read_duration(text)
    length = timedelta(
        **{unit: int(count) for unit, count in match.groupdict(default="0").items()}
        if match
        else {}
    )
    if not length:
        raise ArgumentTypeError(f"{text!r} is not a time span; write it as 90m, 2h or 1d12h.")
    return length


def moment(text: str) -> datetime:
    try:
        read = datetime.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(
            f"{text!r} is not a time; write it as 2030-01-31T18:00 or 2030-01-31T18:00Z."
        ) from error
    return timezone.make_aware(read) if timezone.is_naive(read) else read
