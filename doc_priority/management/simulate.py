"""`manage.py doc_priority simulate`: its arguments, and its report."""

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from doc_priority.conf import settings
from doc_priority.exceptions import PolicyNotFound
from doc_priority.management.terminal import positive, refused
from doc_priority.models import Policy
from doc_priority.simulation import (
    FIRST_COME,
    ROUND_ROBIN,
    Again,
    AtOnce,
    AtRandom,
    Kind,
    Outcome,
    Scenario,
    Simulation,
    by_priority,
)
from doc_priority.simulation.drawing import drawing_of
from doc_priority.simulation.measures import about_kind, counted, in_seconds
from doc_priority.simulation.scenario import DEFAULT_KINDS, HOUR, MINUTE
from doc_priority.types import SECOND, PolicyTerms, Recovery
from doc_priority.validation import terms_of

LONG_RUN = 200_000
"""From this number of documents on, progress is reported after each discipline."""

WAITS = ("median", "p95", "p99", "longest")

DAY = 24 * HOUR
UNITS = {"us": 1, "ms": 1_000, "s": SECOND, "m": MINUTE, "min": MINUTE, "h": HOUR, "d": DAY}
PATTERNS: dict[str, type[AtRandom | AtOnce | Again]] = {
    "/": AtRandom,
    "@": AtOnce,
    "@every:": Again,
}

_read_span = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)?(us|ms|s|min|m|h|d)", re.ASCII).fullmatch
_read_kind = re.compile(
    r"(?P<name>[A-Za-z0-9_-]{1,32}):(?P<customers>\d{1,9}):"
    r"(?P<documents>\d{1,9})(?P<how>/|@every:|@)(?P<span>[^:@/]+)",
    re.ASCII,
).fullmatch


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--kind",
        dest="kinds",
        action="append",
        type=kind,
        metavar="NAME:CUSTOMERS:PATTERN",
        help="A kind of customers, such as quiet:50:1/min (at random), flood:1:5000@10min (all at "
        "once, after 10 minutes) or rare:1:1@every:20min; may be repeated. Default: one who sends "
        "5000 every 577s, 50 at one a minute, one at one every 20min.",
    )
    parser.add_argument("--workers", type=positive, default=2, help="Default: %(default)s.")
    parser.add_argument(
        "--service",
        type=span,
        default="200ms",
        metavar="SPAN",
        help="A worker's time for a document; default: %(default)s.",
    )
    parser.add_argument(
        "--hours",
        type=hours,
        default="12",
        metavar="N",
        help="How long documents arrive; default: %(default)s.",
    )
    parser.add_argument("--seed", type=int, default=1, help="Of the random numbers; default: 1.")
    parser.add_argument("--policy", help="A named policy; default: the settings'.")
    parser.add_argument(
        "--recovery",
        action="append",
        choices=[one.value for one in Recovery],
        help="Only this one; may be repeated. Default: all three.",
    )
    parser.add_argument(
        "--reset-interval", type=positive, metavar="SECONDS", help="Instead of the policy's."
    )
    parser.add_argument(
        "--thresholds",
        type=thresholds,
        metavar="T,…",
        help="Instead of the policy's; eight falling numbers: --thresholds=-2,-4,-6,-8,-10,…",
    )
    parser.add_argument(
        "--levels-only", action="store_true", help="As on engines with nine levels only (Celery)."
    )
    parser.add_argument(
        "--plot", type=svg_file, metavar="FILE.svg", help="Also draw the waits into this file."
    )


def span(text: str) -> int:
    """A time span such as `200ms`, `0.2s`, `20min` or `h`, in microseconds."""
    match = _read_span(text)
    if match is None:
        raise refused(text, "is not a time span; write it as 200ms, 0.2s, 20min, 12h or 1d.")
    number, unit = match.groups(default="1")
    microseconds = int(Decimal(number) * UNITS[unit])
    if microseconds > 366 * DAY:
        raise refused(text, "is more than a year; give a shorter time span.")
    return microseconds


def kind(text: str) -> Kind:
    """The kind that is written `NAME:CUSTOMERS:PATTERN`.

    A pattern is `5/min` (at random), `5000@10min` (all at once, at that time) or `5000@every:1h`.
    """
    match = _read_kind(text)
    if match is None:
        raise refused(
            text,
            "is not a kind of customers; write it as NAME:CUSTOMERS:PATTERN, such as "
            "quiet:50:1/min, flood:1:5000@10min or rare:1:1@every:20min.",
        )
    customers, documents = int(match["customers"]), int(match["documents"])
    length = span(match["span"])
    if 0 in (customers, documents) or (length == 0 and match["how"] != "@"):
        raise refused(text, "has a zero in it; give at least 1, and a longer span.")
    return Kind(match["name"], customers, PATTERNS[match["how"]](documents, length))


def hours(text: str) -> int:
    """This number of hours in microseconds."""
    try:
        length = span(f"{text}h") if text else 0
    except ArgumentTypeError as error:
        raise refused(
            text, "is not a number of hours up to a year; write it as 12 or 0.5."
        ) from error
    if not length:
        raise refused(text, "is no time at all; give more hours.")
    return length


def thresholds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(one) for one in text.split(","))
    except ValueError as error:
        raise refused(text, "is not a list of whole numbers with commas between them.") from error


def svg_file(text: str) -> Path:
    if not text.lower().endswith(".svg"):
        raise refused(text, "does not end in .svg, and nothing else is drawn.")
    return Path(text)


@dataclass(frozen=True, slots=True)
class Report:
    """The outcomes of a simulation, as lines, as JSON and as a picture."""

    scenario: Scenario
    terms: PolicyTerms
    levels_only: bool
    outcomes: Sequence[Outcome]

    def title(self) -> str:
        """A line that says what was simulated."""
        scenario = self.scenario
        depth = "nine levels only" if self.levels_only else "nine levels, and depth within 9"
        return (
            f"Simulated {_number(scenario.length / HOUR)} h, "
            f"{counted(scenario.workers, 'worker')}, "
            f"{_number(scenario.service / SECOND)} s a document, load {100 * scenario.load:.0f} %, "
            f"interval {self.terms.reset_interval} s, {depth}, seed {scenario.seed}."
        )

    def lines(self) -> Iterator[str]:
        """The waits of each kind under each discipline, then the figures of all customers."""
        width = max(len(outcome.discipline) for outcome in self.outcomes) + 2

        def line(name: str, *cells: str) -> str:
            return f"  {name:<{width}}" + "".join(f" {cell:>11}" for cell in cells)

        yield self.title()
        if self.scenario.load > 1:
            yield "That is more than the workers can do: waits grow for as long as it goes on."
        for kind in self.outcomes[0].kinds:
            yield ""
            yield about_kind(kind)
            yield line("wait", "MEDIAN", "95 %", "99 %", "LONGEST", "AT 9")
            for outcome in self.outcomes:
                found = outcome.kind(kind.kind)
                waits = [in_seconds(getattr(found, name)) for name in WAITS]
                share = found.worst_share
                at_worst = "–" if share is None else f"{100 * share:.0f} %"
                yield line(outcome.discipline, *waits, at_worst)
        yield ""
        yield "all customers"
        yield line("documents", "PER HOUR", "DONE AFTER", "JAIN")
        for outcome in self.outcomes:
            yield line(
                outcome.discipline,
                f"{outcome.documents_per_hour:,.0f}",
                in_seconds(outcome.makespan),
                f"{outcome.jain:.3f}",
            )

    def value(self) -> dict[str, Any]:
        """The same for JSON; times in seconds."""
        return {
            "documents": len(self.scenario.arrivals),
            "workers": self.scenario.workers,
            "service": self.scenario.service / SECOND,
            "hours": self.scenario.length / HOUR,
            "load": round(self.scenario.load, 4),
            "seed": self.scenario.seed,
            "policy": asdict(self.terms),
            "levels_only": self.levels_only,
            "disciplines": [
                {
                    "discipline": outcome.discipline,
                    "documents_per_hour": round(outcome.documents_per_hour, 2),
                    "makespan": outcome.makespan / SECOND,
                    "jain": round(outcome.jain, 4),
                    "kinds": [
                        {**asdict(kind), **{name: getattr(kind, name) / SECOND for name in WAITS}}
                        for kind in outcome.kinds
                    ],
                }
                for outcome in self.outcomes
            ],
        }

    def drawing(self) -> str:
        return drawing_of(self.outcomes, title="How long documents wait", subtitle=self.title())


def run(
    *,
    kinds: Sequence[Kind] | None,
    workers: int,
    service: int,
    hours: int,
    seed: int,
    policy: str | None,
    recovery: Sequence[str] | None,
    reset_interval: int | None,
    thresholds: tuple[int, ...] | None,
    levels_only: bool,
    plot: Path | None,
    tell: Callable[[str], None],
    **_: Any,
) -> Report:
    """Simulate what the arguments say; call `tell` with the progress of a long run."""
    base = _policy(policy)
    terms = terms_of(
        reset_interval or base.reset_interval, base.recovery, thresholds or base.thresholds
    )
    scenario = Scenario(tuple(kinds or DEFAULT_KINDS), workers, service, hours, seed=seed)
    if plot is not None:
        # Before the simulation, which may take long. "a" keeps what is in the file until then.
        try:
            plot.open("a", encoding="utf-8").close()
        except OSError as error:
            raise CommandError(f"--plot {plot} cannot be written: {error.strerror}.") from error
    disciplines = [FIRST_COME, ROUND_ROBIN]
    for one in Recovery:
        if not recovery or one in recovery:
            own = replace(terms, recovery=one)
            disciplines.append(by_priority(own, levels_only=levels_only))
    simulation = Simulation(scenario)
    outcomes = []
    for number, discipline in enumerate(disciplines, start=1):
        outcomes.append(simulation.outcome(discipline))
        if len(scenario.arrivals) >= LONG_RUN:
            tell(f"{number} of {len(disciplines)} simulated: {discipline.name}")
    return Report(scenario, terms, levels_only, outcomes)


def _policy(name: str | None) -> PolicyTerms:
    if name is None:
        return settings.default_policy.terms
    found = Policy.objects.primary().filter(name=name).first()
    if found is None:
        raise PolicyNotFound(
            f"There is no policy with the name {name!r}; "
            "leave out --policy to simulate the default one."
        )
    return found.terms


def _number(value: float) -> str:
    return f"{value:,.6f}".rstrip("0").rstrip(".")
