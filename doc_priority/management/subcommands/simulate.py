"""`simulate`: what waits customers would have under each recovery; nothing is counted."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from doc_priority.conf import settings
from doc_priority.exceptions import PolicyNotFound
from doc_priority.management.arguments import add_json, positive
from doc_priority.management.console import Console
from doc_priority.management.simulation_arguments import drawing, hours, kind, span, thresholds
from doc_priority.management.simulation_report import about, lines_of, value_of
from doc_priority.models import Policy
from doc_priority.services.transactions import alias_for_write
from doc_priority.simulation import (
    FIRST_COME,
    ROUND_ROBIN,
    Discipline,
    Kind,
    Outcome,
    Scenario,
    Simulation,
    by_priority,
)
from doc_priority.simulation.drawing import drawing_of
from doc_priority.simulation.scenario import DEFAULT_KINDS
from doc_priority.types import PolicyTerms, Recovery
from doc_priority.validation import terms_of

HELP = "Simulate how long documents of each kind of customers wait, under each recovery."
LONG_RUN = 200_000
"""From so many documents on each discipline says when it is done."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--kind",
        dest="kinds",
        action="append",
        type=kind,
        metavar="NAME:CUSTOMERS:PATTERN",
        help="A kind of customers, such as quiet:50:1/min (at random), flood:1:5000@10min (all at "
        "once, 10 minutes after the beginning) or rare:1:1@every:20min; repeat it for more kinds. "
        "Default: one who drops 5000 every 577s, 50 at one a minute, one at one every 20min.",
    )
    parser.add_argument("--workers", type=positive, default=2, help="Default: %(default)s.")
    parser.add_argument(
        "--service",
        type=span,
        default=span("200ms"),
        metavar="SPAN",
        help="What a worker needs for a document; default: 200ms.",
    )
    parser.add_argument(
        "--hours",
        type=hours,
        default=hours("12"),
        metavar="N",
        help="How long documents come in; default: 12.",
    )
    parser.add_argument("--seed", type=int, default=1, help="Of what is random; default: 1.")
    _add_policy(parser)
    parser.add_argument(
        "--plot", type=drawing, metavar="FILE.svg", help="Draw the waits into this file, too."
    )
    add_json(parser)


def _add_policy(parser: ArgumentParser) -> None:
    parser.add_argument("--policy", help="The named policy of this name; default: the settings'.")
    parser.add_argument(
        "--recovery",
        action="append",
        choices=[one.value for one in Recovery],
        help="Only this recovery; repeat it for two. Default: all three.",
    )
    parser.add_argument(
        "--reset-interval",
        type=positive,
        metavar="SECONDS",
        help="Instead of the policy's.",
    )
    parser.add_argument(
        "--thresholds",
        type=thresholds,
        metavar="T,…",
        help="Instead of the policy's; eight falling numbers: --thresholds=-2,-4,-6,-8,-10,…",
    )
    parser.add_argument(
        "--levels-only",
        action="store_true",
        help="As engines have it that know nine numbers only (Celery).",
    )


def handle(
    console: Console,
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
    **_: Any,
) -> None:
    terms = _terms(policy, reset_interval, thresholds)
    scenario = Scenario(tuple(kinds or DEFAULT_KINDS), workers, service, hours, seed=seed)
    if plot is not None:
        _require_writable(plot)
    disciplines = _disciplines(terms, recovery or list(Recovery), levels_only=levels_only)
    outcomes = list(_outcomes(console, scenario, disciplines))
    subtitle = about(scenario, terms, levels_only=levels_only)
    console.answer(
        value_of(scenario, terms, outcomes, levels_only=levels_only),
        lines_of(scenario, subtitle, outcomes),
    )
    if plot is not None:
        svg = drawing_of(outcomes, title="How long documents wait", subtitle=subtitle)
        plot.write_text(svg, encoding="utf-8")
        console.say(f"The waits are drawn in {plot}.")


def _terms(
    policy: str | None, reset_interval: int | None, thresholds: tuple[int, ...] | None
) -> PolicyTerms:
    """Those of the policy, with what is given in place of its own."""
    base = _policy(policy)
    return terms_of(
        reset_interval or base.reset_interval, base.recovery, thresholds or base.thresholds
    )


def _policy(name: str | None) -> PolicyTerms:
    if name is None:
        return settings.default_policy.terms
    found = Policy.objects.using(alias_for_write()).filter(name=name).first()
    if found is None:
        raise PolicyNotFound(
            f"There is no policy with the name {name!r}; "
            "leave out --policy to simulate the default one."
        )
    return found.terms


def _disciplines(
    terms: PolicyTerms, recoveries: Sequence[str], *, levels_only: bool
) -> list[Discipline]:
    policies = [
        PolicyTerms(terms.reset_interval, one, terms.thresholds)
        for one in Recovery
        if one in recoveries
    ]
    return [
        FIRST_COME,
        ROUND_ROBIN,
        *(by_priority(policy, levels_only=levels_only) for policy in policies),
    ]


def _outcomes(
    console: Console, scenario: Scenario, disciplines: Sequence[Discipline]
) -> Iterator[Outcome]:
    simulation = Simulation(scenario)
    for number, discipline in enumerate(disciplines, start=1):
        yield simulation.outcome(discipline)
        if len(scenario.arrivals) >= LONG_RUN:
            console.report(f"{number} of {len(disciplines)} simulated: {discipline.name}")


def _require_writable(path: Path) -> None:
    """Before the simulation, which may take its time; what is there stays until then."""
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise CommandError(f"--plot {path} cannot be written: {error.strerror}.") from error
