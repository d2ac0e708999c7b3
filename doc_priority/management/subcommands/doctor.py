"""`doctor`: what is wrong here, and what to do about it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from doc_priority.management.arguments import add_json
from doc_priority.management.console import Console
from doc_priority.management.diagnosis import Finding, Level, findings

HELP = "Look at settings, database and clocks; exit with 1 if one of them is an ERROR."


def add_arguments(parser: ArgumentParser) -> None:
    add_json(parser)


def handle(console: Console, **_: Any) -> None:
    found = list(findings())
    console.answer(found, [_line(console, finding) for finding in found])
    errors = sum(finding.level == Level.ERROR for finding in found)
    if errors:
        raise CommandError(f"The doctor found errors: {errors}.")


def _line(console: Console, finding: Finding) -> str:
    styles = {
        Level.OK: console.style.SUCCESS,
        Level.WARNING: console.style.WARNING,
        Level.ERROR: console.style.ERROR,
    }
    level = styles[finding.level](f"{finding.level:<8}")
    remedy = f" {finding.remedy}" if finding.remedy else ""
    return f"{level}{finding.subject}: {finding.message}{remedy}"
