"""What a run of the noisy neighbour prints, and whether it is what is aimed at."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from benchmarks.noisy_plan import QUIET, Plan
from doc_priority.simulation import FIRST_COME, Outcome
from doc_priority.simulation.wording import in_percent, in_seconds
from doc_priority.types import Recovery

if TYPE_CHECKING:
    from benchmarks.noisy_measures import SideBySide

TITLES = {"celery": "Celery on Redis", "tasks": "Django tasks on PostgreSQL"}
HUNDREDTH = 0.01
EQUAL = 0.02
CLEARLY = 2
"""Waits that differ by less than this factor are not ranked."""


def titles(plan: Plan) -> tuple[str, str]:
    """The plot's title, and what was measured in a line."""
    return (
        f"Waits beside a customer that drops {plan.documents:,} documents: {TITLES[plan.engine]}",
        f"Measured: {plan.workers} workers, {plan.service:g} s a document, interval "
        f"{plan.interval} s instead of 1500 s and all rates faster by as much.",
    )


def lines_of(plan: Plan, result: "SideBySide") -> Iterator[str]:
    """The tables in Markdown, and the verdicts."""
    yield f"\n{'. '.join(titles(plan))}\n"
    yield "| | " + " | ".join(_heading(outcome) for outcome in result.outcomes) + " |"
    yield "|---|" + "---|" * len(result.outcomes)
    yield from _waits(result.outcomes)
    yield _line("documents/s", [f"{result.per_second[o.discipline]:.1f}" for o in result.outcomes])
    yield _line("Jain's index", [f"{outcome.jain:.3f}" for outcome in result.outcomes])
    yield f"\nThe simulator, same schedule, {result.service * 1000:.1f} ms a document:\n"
    yield "| | " + " | ".join(_heading(outcome) for outcome in result.simulated) + " |"
    yield "|---|" + "---|" * len(result.simulated)
    yield from _waits(result.simulated)
    yield _line("Jain's index", [f"{outcome.jain:.3f}" for outcome in result.simulated])
    yield ""
    yield from _verdicts(result)


def is_met(result: "SideBySide") -> bool:
    same, ranked = ranking(result)
    is_fast = abs(price(result)) <= EQUAL
    return quiet_ratio(result) <= HUNDREDTH and is_fast and same == ranked


def quiet_ratio(result: "SideBySide") -> float:
    """The quiet ones' 95th percentile under halving, as a part of first come, first served."""
    waits = {one.discipline: one.kind(QUIET).p95 for one in result.outcomes}
    return waits[Recovery.HALVING] / waits[FIRST_COME.name]


def spread(result: "SideBySide") -> float:
    """By how much the throughputs differ at most, as a part of the fastest."""
    rates = result.per_second.values()
    return 1 - min(rates) / max(rates)


def price(result: "SideBySide") -> float:
    """What `halving` costs or gains in throughput beside first come, first served, as a part."""
    return result.per_second[Recovery.HALVING] / result.per_second[FIRST_COME.name] - 1


def ranking(result: "SideBySide") -> tuple[int, int]:
    """How many pairs of disciplines are ranked the same, of those clearly apart in the simulator.

    By the quiet ones' 95th percentile.
    """
    simulated = {one.discipline: one.kind(QUIET).p95 for one in result.simulated}
    real = {one.discipline: one.kind(QUIET).p95 for one in result.outcomes}
    clear = [
        (better, worse)
        for better, worse in permutations(real, 2)
        if simulated[worse] > CLEARLY * simulated[better]
    ]
    return sum(real[better] < real[worse] for better, worse in clear), len(clear)


def _verdicts(result: "SideBySide") -> Iterator[str]:
    ratio, change, (same, ranked) = quiet_ratio(result), price(result), ranking(result)
    yield f"{_word(ratio <= HUNDREDTH)} halving: the quiet ones' 95 % is {ratio:.4f} of FCFS's"
    yield (
        f"{_word(abs(change) <= EQUAL)} halving: throughput {change:+.1%} beside FCFS's "
        f"(all four: {spread(result):.1%} apart at most)"
    )
    yield f"{_word(same == ranked)} {same} of {ranked} clear pairs rank as in the simulator"


def _word(is_met: bool) -> str:
    return "met   " if is_met else "MISSED"


def _waits(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for kind in outcomes[0].kinds:
        name = f"{kind.kind} ({kind.documents:,}): median / 95 % / 99 %"
        yield _line(name, [_percentiles(outcome, kind.kind) for outcome in outcomes])
        shares = [in_percent(outcome.kind(kind.kind).worst_share) for outcome in outcomes]
        yield _line(f"{kind.kind}: at 9", shares)


def _percentiles(outcome: Outcome, kind: str) -> str:
    waits = outcome.kind(kind)
    return " / ".join(in_seconds(one) for one in (waits.median, waits.p95, waits.p99))


def _heading(outcome: Outcome) -> str:
    is_recovery = outcome.discipline in list(Recovery)
    return f"`{outcome.discipline}`" if is_recovery else outcome.discipline


def _line(name: str, values: Sequence[str]) -> str:
    return f"| {name} | " + " | ".join(values) + " |"
