"""From a thousand customers to five million: what takes longer then, and what must not."""

from collections.abc import Sequence

from tests.private_postgresql import obstacle
from tests.proof.scale.bounds import FULL, SHORT, Bounds
from tests.proof.scale.comparing import compare
from tests.proof.scale.locks import Watch
from tests.proof.scale.pruning import BESIDE_COLUMNS, Beside, checks_beside, locks_beside, two_hands
from tests.proof.scale.sizes import Size, sizes
from tests.proof.scale.wear import WORN_COLUMNS, Load, Worn, worn
from tests.proof.suite import Suite, Trial
from tests.proof.workers import Worker


def run(trial: Trial, bounds: Bounds) -> None:
    with sizes(bounds.customers, old=bounds.old) as made:
        compare(trial, made, bounds)
        with two_hands(made[-1]) as two:
            _slow_down(trial, made[-1], two, bounds)
            _lock(trial, made[-1], two, bounds)
    if reason := obstacle():
        trial.leave_out("what checks leave behind", reason)
    else:
        _wear(trial, bounds.wear, most=bounds.most_wear)


def _slow_down(trial: Trial, size: Size, two: Sequence[Worker], bounds: Bounds) -> None:
    def beside(action: str, *, rounds: int, **options: int) -> Beside:
        seconds = bounds.prune_seconds
        return checks_beside(
            action, size, two, old=bounds.old, rounds=rounds, seconds=seconds, **options
        )

    usual = beside("prune", rounds=bounds.prune_rounds)
    trial.find(
        "Prune slows checks down hardly at all",
        asked=f"a 99th percentile at most {bounds.beside_prune:g} times as long, every second "
        "check with a new document",
        seen=str(usual),
        held=usual.growth <= bounds.beside_prune,
        measured=True,
    )
    restless = beside("prune", rounds=bounds.twin_rounds, busy_percent=100)
    trial.say(f"without pauses: {restless}")
    locking = beside("prune_locking_the_table", rounds=bounds.twin_rounds)
    trial.control(
        "prune that locks its table",
        seen=str(locking),
        caught=locking.growth > bounds.beside_prune,
    )
    told = {"as it comes": usual, "without pauses": restless, "locking its table": locking}
    trial.tabulate(
        "The 99th percentile of checks beside prune, every second with a new document",
        ("prune", *BESIDE_COLUMNS),
        ((name, *one.cells) for name, one in told.items()),
    )


def _lock(trial: Trial, size: Size, two: Sequence[Worker], bounds: Bounds) -> None:
    def beside(action: str, *, seconds: float, in_all: float) -> Watch:
        return locks_beside(action, size, two, old=bounds.old, seconds=seconds, in_all=in_all)

    pruning = beside("prune", seconds=bounds.prune_seconds, in_all=bounds.lock_seconds)
    trial.find(
        "Prune keeps nobody waiting, whoever checks or forgets meanwhile",
        asked=(
            f"no lock held or waited for over {bounds.longest_lock * 1000:.0f} ms "
            f"in {bounds.lock_seconds:g} s of prune"
        ),
        seen=(
            f"without pauses held for {pruning.held * 1000:.0f} ms ({pruning.holder}) and waited "
            f"for {pruning.waited * 1000:.0f} ms at most, in {pruning.looks:,} looks "
            f"over {pruning.seconds:.1f} s"
        ),
        held=max(pruning.held, pruning.waited) <= bounds.longest_lock,
        measured=True,
    )
    too_long = 2 * bounds.longest_lock
    naive = beside("prune_naively", seconds=too_long, in_all=too_long)
    trial.control(
        "prune in one transaction",
        seen=f"locks held for {naive.held * 1000:,.0f} ms, waited for {naive.waited * 1000:,.0f}",
        caught=naive.held > bounds.longest_lock,
    )


def _wear(trial: Trial, load: Load, *, most: float) -> None:
    looks: list[Worn] = []
    for look in worn(load):
        looks.append(look)
        trial.say(str(look))
    trial.tabulate(
        f"The table of {load.customers:,} counters, vacuumed as it comes",
        WORN_COLUMNS,
        (look.cells for look in looks),
    )
    half, last = looks[len(looks) // 2], looks[-1]
    trial.find(
        f"{load.checks:,} checks of {load.customers:,} customers are done in time",
        asked=f"all of them within {load.seconds:,.0f} s",
        seen=f"{last.checks:,}",
        held=last.checks >= load.checks,
        measured=True,
    )
    trial.find(
        f"Counters of {load.customers:,} customers do not grow on and on under checks",
        asked=f"vacuumed, and at most {most:g} times as large as after half of them",
        seen=f"{last.size / half.size:.2f} times as large; {last}",
        held=last.vacuums > 0 and last.size <= half.size * most,
        measured=True,
    )


SCALE = Suite(
    name="scale",
    title="up to five million customers are checked, listed, pruned and forgotten",
    places=("postgresql",),
    run=run,
    short=SHORT,
    full=FULL,
    short_limit=900,
    full_limit=7_200,
)
