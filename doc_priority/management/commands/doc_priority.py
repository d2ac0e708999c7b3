"""`manage.py doc_priority`: everything the app does, from a terminal or a script."""

from argparse import SUPPRESS
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error

from doc_priority.exceptions import DocPriorityError
from doc_priority.management.console import Console
from doc_priority.management.subcommands import (
    check,
    doctor,
    forget,
    live_list,
    peek,
    pin,
    prune,
    reset,
    simulate,
    unpin,
)

SUBCOMMANDS = {
    "check": check,
    "peek": peek,
    "reset": reset,
    "pin": pin,
    "unpin": unpin,
    "list": live_list,
    "prune": prune,
    "forget": forget,
    "doctor": doctor,
    "simulate": simulate,
}


class Command(BaseCommand):
    """One subcommand does the work; here its errors become messages."""

    help = "Count documents, look after customers' priorities, and see that all is well."

    def add_arguments(self, parser: CommandParser) -> None:
        subparsers = parser.add_subparsers(
            dest="subcommand", metavar="SUBCOMMAND", required=True, title="subcommands"
        )
        for name, module in SUBCOMMANDS.items():
            subparser = subparsers.add_parser(
                name, help=module.HELP, description=module.HELP, parents=[self._options()]
            )
            module.add_arguments(subparser)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """The doctor reports what the system checks find, so they must not stop it before."""
        if options["subcommand"] == "doctor":
            options["skip_checks"] = True
        return super().execute(*args, **options)

    def handle(self, *, subcommand: str, json: bool = False, **options: Any) -> None:
        console = Console(self, as_json=json)
        try:
            SUBCOMMANDS[subcommand].handle(console, **options)
            console.finish()
        except BrokenPipeError:
            console.give_up()
        except DocPriorityError as error:
            raise CommandError(str(error)) from error
        except Error as error:
            first_line = str(error).partition("\n")[0]
            raise CommandError(
                f"The database answers: {first_line}\n`manage.py doc_priority doctor` says more."
            ) from error

    @staticmethod
    def _options() -> CommandParser:
        """Django's own options, so that they may also stand after the subcommand."""
        parser = CommandParser(add_help=False, argument_default=SUPPRESS)
        parser.add_argument("-v", "--verbosity", type=int, choices=range(4), help=SUPPRESS)
        for name in ("--settings", "--pythonpath"):
            parser.add_argument(name, help=SUPPRESS)
        for name in ("--traceback", "--no-color", "--force-color", "--skip-checks"):
            parser.add_argument(name, action="store_true", default=SUPPRESS, help=SUPPRESS)
        return parser
