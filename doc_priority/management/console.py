"""Where a subcommand's answer and its messages go."""

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone


class Console:
    """The answer goes to stdout, as text or as JSON; beside JSON, messages go to stderr."""

    def __init__(self, command: BaseCommand, *, as_json: bool) -> None:
        self.style = command.style
        self._command = command
        self._stdout = command.stdout
        self._messages = command.stderr if as_json else command.stdout
        self._as_json = as_json

    def answer(self, value: Any, lines: Iterable[str]) -> None:
        """Write the value as JSON, or the lines that say the same to a reader."""
        if self._as_json:
            self._stdout.write(json.dumps(value, default=_plain, indent=2))
            return
        for line in lines:
            self._stdout.write(line)

    def finish(self) -> None:
        """Write all of it now, so that a reader who has gone is noticed here."""
        self._stdout.flush()

    def give_up(self) -> None:
        """Whoever reads has seen enough, as `| head` has; what is left goes nowhere."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def report(self, progress: str) -> None:
        """Tell how far long work has come, beside the answer, so that only this is piped."""
        self._command.stderr.write(progress, style_func=str)

    def say(self, message: str) -> None:
        """Write a message that is no part of the answer."""
        self._messages.write(message, style_func=str)


def shown_text(text: str) -> str:
    """Text for a terminal, where a character that cannot be printed could steer it."""
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


def shown_time(moment: datetime | None) -> str:
    """A moment in the project's time zone, to the second."""
    if moment is None:
        return "-"
    return timezone.localtime(moment).strftime("%Y-%m-%d %H:%M:%S %Z")


def _plain(value: Any) -> Any:
    """Decisions and such as objects, times in UTC with a Z."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise TypeError(f"{value!r} has no form in JSON.")
