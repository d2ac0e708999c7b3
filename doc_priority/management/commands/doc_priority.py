"""`manage.py doc_priority`: the app's functions for a terminal or a script."""

import json
import os
import sys
from argparse import SUPPRESS
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error

from doc_priority import services
from doc_priority.exceptions import DocPriorityError
from doc_priority.explanations import explain
from doc_priority.health import Level, findings
from doc_priority.management import simulate
from doc_priority.management.terminal import (
    add_key,
    add_keys,
    add_reason_and_actor,
    document_id,
    duration,
    lines_of,
    local_time,
    moment,
    positive,
    printable,
    priority,
)
from doc_priority.models import Customer
from doc_priority.selectors import WORST_FIRST, LiveList, activity, database_now
from doc_priority.services.pruning import BATCH_SIZE, BUSY_PERCENT, Pruned, prunable, prune
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY, State

SOURCE = "command"
"""The source of the events that this command causes."""


class Command(BaseCommand):
    """`add_arguments` defines the subcommands; each has a method `run_…`.

    The result goes to stdout, as text or as JSON. With JSON, messages go to stderr.
    """

    help = "Count documents, show and correct customers' priorities, check the installation."
    as_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        subparsers = parser.add_subparsers(
            dest="subcommand", metavar="SUBCOMMAND", required=True, title="subcommands"
        )
        of_django = _options_of_django()

        def add(name: str, text: str) -> CommandParser:
            added: CommandParser = subparsers.add_parser(
                name, help=text, description=text, parents=[of_django]
            )
            return added

        command = add(
            "check", "Count one document for each KEY and show its priority; all keys or none."
        )
        add_keys(command)
        command.add_argument(
            "--document",
            type=document_id,
            help="The portal's id of the document; it counts once.",
        )

        command = add("peek", "Show the priority of each KEY now; nothing is counted.")
        add_keys(command)
        command.add_argument("--why", action="store_true", help="Say why, in a sentence.")

        command = add("reset", "Set the counter of each KEY to 0; all keys or none.")
        add_keys(command)
        add_reason_and_actor(command)

        command = add(
            "pin",
            "Pin KEY to a priority until a time or without an end, whatever its counter says.",
        )
        add_key(command)
        command.add_argument("--priority", required=True, type=priority, help="From 1 to 9.")
        until = command.add_mutually_exclusive_group(required=True)
        until.add_argument(
            "--until",
            type=moment,
            metavar="TIME",
            help="Such as 2030-01-31T18:00; without an offset in the project's time zone.",
        )
        until.add_argument(
            "--for", dest="length", type=duration, metavar="SPAN", help="Such as 90m, 2h or 1d12h."
        )
        until.add_argument("--no-end", action="store_true", help="The pin holds until `unpin`.")
        add_reason_and_actor(command)

        command = add("unpin", "Remove the pin of KEY; its counter decides again.")
        add_key(command)
        add_reason_and_actor(command, required=False)

        command = add("list", "Show customers and their priorities now, worst first.")
        command.add_argument("--priority", type=priority, help="Only this priority, 1 to 9.")
        command.add_argument("--priority-min", type=priority, help="Only this priority or worse.")
        command.add_argument("--state", choices=sorted(State), help="Only customers in this state.")
        command.add_argument("--policy", help="Only customers with this policy.")
        command.add_argument(
            "--search",
            help="Only customers with this text in key or name; case and accents do not matter.",
        )
        command.add_argument(
            "--limit", type=positive, default=50, help="At most this many; default: %(default)s."
        )

        command = add(
            "prune",
            "Delete decisions and events older than DOCUMENT_RETENTION_DAYS and "
            "EVENT_RETENTION_DAYS.",
        )
        command.add_argument(
            "--batch-size",
            type=positive,
            default=BATCH_SIZE,
            help="Rows deleted in one transaction; default: %(default)s.",
        )
        command.add_argument(
            "--busy-percent",
            type=positive,
            default=BUSY_PERCENT,
            metavar="PERCENT",
            help="Percent of the time in which it deletes; otherwise it pauses, so that checks are "
            "not slowed; 100: no pause; default: %(default)s.",
        )
        command.add_argument("--dry-run", action="store_true", help="Count only; delete nothing.")

        command = add(
            "forget", "Erase KEY: the customer, its counter, its decisions and what its events say."
        )
        add_key(command)
        add_reason_and_actor(command)
        command.add_argument("--yes", action="store_true", help="Do not ask; for scripts.")

        add("doctor", "Check settings, database and clocks; exit with 1 if there is an ERROR.")

        command = add("simulate", "Simulate how long documents wait, under each recovery.")
        simulate.add_arguments(command)

        for name, command in subparsers.choices.items():
            if name != "forget":  # it has no result
                command.add_argument(
                    "--json",
                    action="store_true",
                    help="Answer in JSON on stdout, times in UTC; messages go to stderr.",
                )

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Skip the system checks for `doctor`, which reports their findings itself."""
        if options["subcommand"] == "doctor":
            options["skip_checks"] = True
        return super().execute(*args, **options)

    def handle(self, *, subcommand: str, json: bool = False, **options: Any) -> None:
        self.as_json = json
        try:
            getattr(self, f"run_{subcommand}")(**options)
            # Here, so that a closed pipe raises its error within this block.
            self.stdout.flush()
        except BrokenPipeError:
            # The reader has stopped, as `| head` does. The rest goes to /dev/null, because Python
            # flushes it at exit and would report the error then.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except DocPriorityError as error:
            raise CommandError(str(error)) from error
        except Error as error:
            first_line = str(error).partition("\n")[0]
            raise CommandError(
                f"The database answers: {first_line}\n`manage.py doc_priority doctor` says more."
            ) from error

    def answer(self, value: Any, lines: Iterable[str]) -> None:
        """Write the result: the value as JSON, or the lines, which say the same."""
        if self.as_json:
            lines = [json.dumps(value, default=_as_json, indent=2)]
        for line in lines:
            self.stdout.write(line)

    def say(self, message: str) -> None:
        """Write a message that is not part of the result."""
        messages = self.stderr if self.as_json else self.stdout
        messages.write(message, style_func=str)

    def report(self, progress: str) -> None:
        """Write the progress of long work, always to stderr."""
        self.stderr.write(progress, style_func=str)

    def run_check(self, *, keys: list[str], document: str | None, **_: Any) -> None:
        if document is None:
            decisions = services.check_many(keys)
        elif len(keys) == 1:
            decisions = [services.check(keys[0], document=document)]
        else:
            raise CommandError("--document names the document of one customer; give one KEY.")
        self.answer(decisions, lines_of(decisions))

    def run_peek(self, *, keys: list[str], why: bool, **_: Any) -> None:
        decisions = [services.peek(key) for key in keys]
        if not why:
            self.answer(decisions, lines_of(decisions))
            return
        rows = Customer.objects.primary().live().select_related("counter", "policy")
        value, lines = [], []
        for decision, line in zip(decisions, lines_of(decisions), strict=True):
            customer = rows.get(key=decision.customer)
            sentence = printable(explain(customer, shown=local_time))
            value.append({**asdict(decision), "explanation": sentence})
            lines += [line, f"  {sentence}"]
        self.answer(value, lines)

    def run_reset(self, *, keys: list[str], reason: str, actor: str, **_: Any) -> None:
        decisions = services.reset_many(keys, actor=actor, reason=reason, source=SOURCE)
        self.answer(decisions, lines_of(decisions))

    def run_pin(
        self,
        *,
        key: str,
        priority: int,
        until: datetime | None,
        length: timedelta | None,
        reason: str,
        actor: str,
        **_: Any,
    ) -> None:
        end = until if length is None else database_now() + length
        decision = services.pin(
            key, priority=priority, until=end, actor=actor, reason=reason, source=SOURCE
        )
        self.answer(decision, lines_of([decision]))
        self.say(f"Pinned until {local_time(end)}." if end else "Pinned without an end.")

    def run_unpin(self, *, key: str, reason: str | None, actor: str, **_: Any) -> None:
        decision = services.unpin(key, actor=actor, reason=reason or "", source=SOURCE)
        self.answer(decision, lines_of([decision]))

    def run_list(
        self,
        *,
        priority: int | None,
        priority_min: int | None,
        state: str | None,
        policy: str | None,
        search: str | None,
        limit: int,
        **_: Any,
    ) -> None:
        moment = activity()
        asked = Customer.objects.primary().live(moment.now).select_related("policy")
        if policy is not None:
            asked = asked.filter(policy__name=policy)
        if search is not None:
            asked = asked.search(search)
        live = LiveList(asked, moment).narrowed(
            state=None if state is None else State(state),
            best=max(priority or BEST_PRIORITY, priority_min or BEST_PRIORITY),
            worst=priority or WORST_PRIORITY,
        )
        # One more than asked for, to know whether there are more.
        found = live.after((), order=WORST_FIRST, limit=limit + 1)
        rows = [
            {
                "customer": row.key,
                "name": row.name,
                "policy": row.policy.name if row.policy else "",
                "state": "pinned" if row.pinned else "counting" if row.counting else "idle",
                "pending_documents": row.pending_documents,
                "priority": row.priority,
                "pinned": row.pinned,
                "pinned_until": row.pinned_until,
                "updated_at": row.updated_at,
                "resets_at": row.resets_at,
            }
            for row in found[:limit]
        ]
        self.answer(rows, _table(rows))
        if len(found) > limit:
            self.say("There are more; a larger --limit shows them.")
        if not found:
            self.say(
                "No customer matches; leave out a filter to see more."
                if Customer.objects.primary().exists()
                else "No customer yet; `manage.py doc_priority check KEY` counts a document and "
                "creates one."
            )

    def run_prune(self, *, batch_size: int, busy_percent: int, dry_run: bool, **_: Any) -> None:
        def counts(pruned: Pruned) -> str:
            return f"{pruned.decisions:,} decisions and {pruned.events:,} events"

        if dry_run:
            pruned, verb = prunable(), "Would delete"
        else:
            pruned, verb = Pruned(decisions=0, events=0), "Deleted"
            for pruned in prune(batch_size=batch_size, busy_percent=busy_percent):
                self.report(f"Deleted so far: {counts(pruned)}.")
        self.answer({**asdict(pruned), "dry_run": dry_run}, [f"{verb} {counts(pruned)}."])

    def run_forget(self, *, key: str, reason: str, actor: str, yes: bool, **_: Any) -> None:
        if not yes:
            if not sys.stdin.isatty():
                raise CommandError("There is no terminal to ask on; --yes forgets without asking.")
            for line in lines_of([services.peek(key)]):
                self.say(line)
            self.say("This customer is erased for good.")
            try:
                typed = input("Type its key to go on: ")
            except EOFError:
                typed = ""
            if typed != key:
                raise CommandError("That is not the key; nothing was erased.")
        services.forget(key, actor=actor, reason=reason, source=SOURCE)
        self.answer(None, [f"{key} is forgotten."])

    def run_doctor(self, **_: Any) -> None:
        styles = {
            Level.OK: self.style.SUCCESS,
            Level.WARNING: self.style.WARNING,
            Level.ERROR: self.style.ERROR,
        }
        found = list(findings())
        lines = []
        for one in found:
            lines.append(f"{styles[one.level](f'{one.level:<8}')}{one.subject}: {one.message}")
            if one.remedy:
                lines.append(f"{'':<8}What to do: {one.remedy}")
        self.answer(found, lines)
        errors = sum(one.level == Level.ERROR for one in found)
        if errors:
            raise CommandError(f"The doctor found errors: {errors}.")

    def run_simulate(self, *, plot: Path | None, **options: Any) -> None:
        report = simulate.run(plot=plot, tell=self.report, **options)
        self.answer(report.value(), report.lines())
        if plot is not None:
            plot.write_text(report.drawing(), encoding="utf-8")
            self.say(f"The waits are drawn in {plot}.")


def _options_of_django() -> CommandParser:
    """Django's own options, so that they may follow the subcommand, too."""
    parser = CommandParser(add_help=False, argument_default=SUPPRESS)
    parser.add_argument("-v", "--verbosity", type=int, choices=range(4), help=SUPPRESS)
    for name in ("--settings", "--pythonpath"):
        parser.add_argument(name, help=SUPPRESS)
    for name in ("--traceback", "--no-color", "--force-color", "--skip-checks"):
        parser.add_argument(name, action="store_true", help=SUPPRESS)
    return parser


def _as_json(value: Any) -> Any:
    """For `json.dumps`: decisions and findings as objects, times in UTC with a Z."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return asdict(value)


def _table(customers: list[dict[str, Any]]) -> list[str]:
    """The rows of `list` as text under headings; no headings without a row."""
    headings = ("PRIORITY", "PENDING", "STATE", "RESETS AT", "LAST UPDATE", "POLICY", "CUSTOMER")
    rows = [headings] if customers else []
    for one in customers:
        state = one["state"]
        if one["pinned"]:
            until = one["pinned_until"]
            state += " without an end" if until is None else f" until {local_time(until)}"
        name = f" ({printable(one['name'])})" if one["name"] else ""
        rows.append(
            (
                str(one["priority"]),
                str(one["pending_documents"]),
                state,
                local_time(one["resets_at"]),
                local_time(one["updated_at"]),
                printable(one["policy"] or "default"),
                f"{one['customer']}{name}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
