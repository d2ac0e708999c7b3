"""Mixed traffic under gunicorn, for half an hour in full."""

from dataclasses import dataclass

from tests.proof.soak.day import Day
from tests.proof.soak.judging import MEGABYTE, PUNCTUAL, WINDOW, Soaked, judged
from tests.proof.soak.measuring import measuring
from tests.proof.soak.people import People, customers, people
from tests.proof.soak.planted import Harm
from tests.proof.soak.pruning import pruning
from tests.proof.soak.serving import Served, serving
from tests.proof.soak.traffic import traffic, warm_up
from tests.proof.suite import Suite, Trial

WORKERS = 4
CUSTOMERS, CORRECTED = 200, 20
TIMES = 4
"""So many times what is asked is planted."""
FAILURES = 3
"""Of each worker, in the control."""


@dataclass(frozen=True)
class Bounds:
    warm_up: int
    """Requests before anything is measured."""
    seconds: float
    per_second: float
    prune_every: float
    """Seconds."""
    growth: float
    """Of memory, as a part of it."""
    percentile: int
    slowing: float
    """How many times as long this percentile of answers may take in the end."""
    control_seconds: float


def run(trial: Trial, bounds: Bounds) -> None:
    asking, about = people(), customers(CUSTOMERS, corrected=CORRECTED)
    trial.say(f"{WORKERS} workers, {bounds.seconds:.0f} s, {bounds.per_second:.0f} requests/s")
    with serving(workers=WORKERS) as served:
        warm_up(served.port, asking, Day(about, "warm-up"), requests=bounds.warm_up)
        day = Day(about, "day")
        soaked = _soaked(served, asking, day, bounds, seconds=bounds.seconds)
        _judge(trial, bounds, soaked)
        harm = _harm(bounds, soaked)
        asking, day = asking.sending(harm.header), Day(about, "control")
        harmed = _soaked(served, asking, day, bounds, seconds=bounds.control_seconds)
        _judge_the_harmed(trial, bounds, harm, harmed)


def _soaked(served: Served, asking: People, day: Day, bounds: Bounds, *, seconds: float) -> Soaked:
    with (
        pruning(every=bounds.prune_every) as pruned,
        measuring(served, seconds=seconds) as samples,
    ):
        answers = traffic(served.port, asking, day, seconds=seconds, per_second=bounds.per_second)
    return judged(answers, samples, pruned, seconds=seconds, percentile=bounds.percentile)


def _harm(bounds: Bounds, soaked: Soaked) -> Harm:
    """What grows to so many times the bounds between the first and the last part of the control.

    Answers do so only as far as the workers can bear, or the control would take much longer.
    """
    each = bounds.control_seconds * bounds.per_second / WORKERS
    between = each * (1 - WINDOW)
    grown = bounds.growth * soaked.late_memory * MEGABYTE / WORKERS
    slowed = TIMES * (bounds.slowing - 1) * soaked.last_percentile / 1000
    bearable = 2 * WORKERS / bounds.per_second
    return Harm(
        kept=round(TIMES * grown / between),
        tiring=min(slowed, bearable) / between,
        every=round(each / FAILURES),
    )


def _judge(trial: Trial, bounds: Bounds, soaked: Soaked) -> None:
    for wrong in soaked.errors[:10]:
        trial.say(wrong)
    length = f"{bounds.seconds:,.0f} s of mixed traffic, {WORKERS} workers"
    trial.find(
        f"No error in {length}",
        asked="0 errors, 0 workers replaced",
        seen=f"{len(soaked.errors)} errors in {soaked.requests:,} requests, "
        f"{soaked.replaced_workers} workers replaced; {soaked.pruned:,} decisions pruned beside",
        held=soaked.is_faultless,
    )
    trial.find(
        f"Requests are made when they are due, in {length}",
        asked=f"at least {PUNCTUAL:.0%} of {soaked.requests:,} before the end",
        seen=f"{soaked.in_time:,}",
        held=soaked.is_punctual,
        measured=True,
    )
    trial.find(
        f"Memory does not grow in {length}",
        asked=f"at most {bounds.growth:.0%}",
        seen=f"{soaked.growth:+.1%} ({soaked.early_memory:.0f} to {soaked.late_memory:.0f} MB)",
        held=soaked.stays_small(growth=bounds.growth),
        measured=True,
    )
    trial.find(
        f"Connections do not grow in {length}",
        asked="none more",
        seen=f"{soaked.early_connections} early, {soaked.late_connections} late",
        held=soaked.hangs_up,
    )
    trial.find(
        f"Answers do not slow down in {length}",
        asked=f"{bounds.percentile}th percentile at most {bounds.slowing:g} times that of the "
        "first sixth",
        seen=_pace(soaked),
        held=soaked.stays_quick(slowing=bounds.slowing),
        measured=True,
    )


def _pace(soaked: Soaked) -> str:
    return (
        f"{soaked.slowing:.2f} times "
        f"({soaked.first_percentile:.0f} ms, then {soaked.last_percentile:.0f} ms)"
    )


def _judge_the_harmed(trial: Trial, bounds: Bounds, harm: Harm, harmed: Soaked) -> None:
    trial.control(
        f"a site that answers one request in {harm.every:,} with 500",
        seen=f"{len(harmed.errors)} errors in {harmed.requests:,} requests",
        caught=not harmed.is_faultless,
    )
    trial.control(
        f"a site that keeps {harm.kept:,} bytes of every request",
        seen=f"memory {harmed.growth:+.1%}",
        caught=not harmed.stays_small(growth=bounds.growth),
    )
    trial.control(
        f"a site that forgets to hang up once in {harm.every:,} requests",
        seen=f"{harmed.early_connections} connections early, {harmed.late_connections} late",
        caught=not harmed.hangs_up,
    )
    trial.control(
        f"a site whose workers answer each request {harm.tiring * 1000:.3f} ms later than the last",
        seen=_pace(harmed),
        caught=not harmed.stays_quick(slowing=bounds.slowing),
    )


SOAK = Suite(
    name="soak",
    title="mixed traffic under gunicorn for a long time",
    places=("postgresql",),
    run=run,
    # Of so few requests the slowest hundredth is one, so it looks at the middle.
    short=Bounds(
        warm_up=200,
        seconds=18,
        per_second=20,
        prune_every=3,
        growth=0.03,
        percentile=50,
        slowing=3,
        control_seconds=12,
    ),
    full=Bounds(
        warm_up=4_000,
        seconds=1_800,
        per_second=40,
        prune_every=30,
        growth=0.03,
        percentile=99,
        slowing=1.2,
        control_seconds=200,
    ),
    short_limit=300,
    full_limit=2_400,
)
