"""`doctor`: what is wrong here, and what to do about it."""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.core.management.base import CommandError

from doc_priority.health import Finding, Level, findings
from doc_priority.management.arguments import add_json
from doc_priority.management.console import Console

HELP = "Look at settings, database and clocks; exit with 1 if one of them is an ERROR."


def add_arguments(parser: ArgumentParser) -> None:
    add_json(parser)


def handle(console: Console, **_: Any) -> None:
    found = list(findings())
    console.answer(found, chain.from_iterable(_lines(console, finding) for finding in found))
    errors = sum(finding.level == Level.ERROR for finding in found)
    if errors:
        raise CommandError(f"The doctor found errors: {errors}.")


def _lines(console: Console, finding: Finding) -> Iterator[str]:
    styles = {
        Level.OK: console.style.SUCCESS,
        Level.WARNING: console.style.WARNING,
        Level.ERROR: console.style.ERROR,
    }
    yield f"{styles[finding.level](f'{finding.level:<8}')}{finding.subject}: {finding.message}"
    if finding.remedy:
        yield f"{'':<8}What to do: {finding.remedy}"
