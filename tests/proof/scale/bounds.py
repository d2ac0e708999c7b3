"""How much is done, and how much of what is seen is allowed."""

from dataclasses import dataclass

from tests.proof.scale.wear import Load


@dataclass(frozen=True)
class Bounds:
    customers: tuple[int, ...]
    deep_page: int
    rounds: int
    check_growth: float
    anybody_growth: float
    """Of a check whose pages are not in the server's memory where there are very many."""
    list_growth: float
    crowd: int
    """So many of the most customers count for the table in which many do."""
    old: int
    """So many decisions are there for prune, with the most customers."""
    prune_rounds: int
    twin_rounds: int
    """For the ways not to prune, which show at once."""
    prune_seconds: float
    beside_prune: float
    """So many times as long a check's 99th percentile may be while prune deletes."""
    lock_seconds: float
    """For so long in all locks are looked at while prune deletes."""
    longest_lock: float
    wear: Load
    most_wear: float
    """Table and indexes may be so many times as large after the second half of the checks."""


SHORT = Bounds(
    customers=(1_000, 50_000),
    deep_page=10,
    rounds=2,
    check_growth=3,
    anybody_growth=3,
    list_growth=3,
    crowd=2_500,
    old=150_000,
    prune_rounds=3,
    twin_rounds=1,
    prune_seconds=0.5,
    beside_prune=5,
    lock_seconds=1,
    longest_lock=0.5,
    wear=Load(
        customers=1_000,
        checks=60_000,
        bulk=20,
        seconds=120,
        processes=2,
        looks=4,
        server=("-F", "-c", "autovacuum_naptime=1s"),
    ),
    # A table of a few pages doubles before it is vacuumed for the first time.
    most_wear=4,
)
FULL = Bounds(
    customers=(1_000, 100_000, 1_000_000, 5_000_000),
    deep_page=1_000,
    rounds=9,
    check_growth=1.15,
    anybody_growth=1.5,
    list_growth=1.5,
    crowd=50_000,
    old=500_000,
    prune_rounds=20,
    twin_rounds=5,
    prune_seconds=2,
    beside_prune=1.2,
    lock_seconds=30,
    longest_lock=0.2,
    wear=Load(
        customers=100_000,
        checks=10_000_000,
        bulk=100,
        seconds=1_800,
        processes=4,
        looks=10,
    ),
    most_wear=1.25,
)
