"""What a simulation found, for a terminal and for machines."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from doc_priority.simulation import KindOutcome, Outcome, Scenario
from doc_priority.simulation.measures import about_kind, in_percent, in_seconds
from doc_priority.simulation.scenario import HOUR
from doc_priority.types import SECOND, PolicyTerms

WAITS = ("median", "p95", "p99", "longest")
HEADINGS = ("MEDIAN", "95 %", "99 %", "LONGEST", "AT 9")
FULL = 1.0
"""The load at which the workers have no moment to spare."""


def about(scenario: Scenario, terms: PolicyTerms, *, levels_only: bool) -> str:
    """What was simulated, in a line."""
    workers = "1 worker" if scenario.workers == 1 else f"{scenario.workers:,} workers"
    depth = "nine levels only" if levels_only else "nine levels, and depth within 9"
    return (
        f"Simulated {_number(scenario.length / HOUR)} h, {workers}, "
        f"{_number(scenario.service / SECOND)} s a document, load {in_percent(scenario.load)}, "
        f"interval {terms.reset_interval} s, {depth}, seed {scenario.seed}."
    )


def lines_of(scenario: Scenario, first: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The waits of each kind under each discipline, then what concerns all of them."""
    yield first
    if scenario.load > FULL:
        yield "That is more than the workers can do: waits grow for as long as it goes on."
    width = max(len(outcome.discipline) for outcome in outcomes) + 2
    for kind in outcomes[0].kinds:
        yield ""
        yield about_kind(kind)
        yield _line("wait", HEADINGS, width)
        for outcome in outcomes:
            yield _line(outcome.discipline, _cells(outcome.kind(kind.kind)), width)
    yield ""
    yield "all customers"
    yield _line("documents", ("PER HOUR", "DONE AFTER", "JAIN"), width)
    for outcome in outcomes:
        yield _line(outcome.discipline, _totals(outcome), width)


def value_of(
    scenario: Scenario, terms: PolicyTerms, outcomes: Sequence[Outcome], *, levels_only: bool
) -> dict[str, Any]:
    """The same for machines; times in seconds."""
    return {
        "documents": len(scenario.arrivals),
        "workers": scenario.workers,
        "service": scenario.service / SECOND,
        "hours": scenario.length / HOUR,
        "load": round(scenario.load, 4),
        "seed": scenario.seed,
        "policy": asdict(terms),
        "levels_only": levels_only,
        "disciplines": [_outcome(outcome) for outcome in outcomes],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "discipline": outcome.discipline,
        "documents_per_hour": round(outcome.documents_per_hour, 2),
        "makespan": outcome.makespan / SECOND,
        "jain": round(outcome.jain, 4),
        "kinds": [_kind(kind) for kind in outcome.kinds],
    }


def _kind(kind: KindOutcome) -> dict[str, Any]:
    waits = {name: getattr(kind, name) / SECOND for name in WAITS}
    return {**asdict(kind), **waits, "worst_share": kind.worst_share}


def _cells(kind: KindOutcome) -> list[str]:
    return [*(in_seconds(getattr(kind, name)) for name in WAITS), in_percent(kind.worst_share)]


def _totals(outcome: Outcome) -> tuple[str, ...]:
    return (
        f"{outcome.documents_per_hour:,.0f}",
        in_seconds(outcome.makespan),
        f"{outcome.jain:.3f}",
    )


def _line(name: str, cells: Sequence[str], width: int) -> str:
    return f"  {name:<{width}}" + "".join(f" {cell:>11}" for cell in cells)


def _number(value: float) -> str:
    return f"{value:,.6f}".rstrip("0").rstrip(".")
