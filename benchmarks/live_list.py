"""Measure the first page of the REST live list as customers become more:
`python -m benchmarks.live_list`.

It must take the same number of queries at any size; how long it takes is told beside it. A poll
with the page's ETag is to answer 304.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from benchmarks import places, report
from benchmarks.rest_plan import DATABASES

SIZES = (10, 1_000, 100_000)
QUICK_SIZES = SIZES[:2]
WIDTH = 34


def main() -> int:
    given = _options()
    sizes = QUICK_SIZES if given.quick else SIZES
    with (
        places.prepared_run(settings="benchmarks.rest_settings", redis={}),
        places.databases(given.databases) as unreached,
    ):
        for name, reason in unreached.items():
            report.say(f"{name} is left out: {reason}")
        # Models and all that uses them can be imported only now.
        measured_in = import_module("benchmarks.live_list_pages").measured_in
        reached = [name for name in given.databases if name not in unreached]
        kept = [_table(name, measured_in(name, sizes), sizes) for name in reached]
    return 0 if all(kept) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live_list", description=__doc__)
    parser.add_argument(
        "--databases", nargs="+", choices=DATABASES, default=DATABASES, help="all if left out"
    )
    parser.add_argument("--quick", action="store_true", help="no more than 1,000 customers")
    return parser.parse_args()


def _table(database: str, pages: dict[str, list[Any]], sizes: Sequence[int]) -> bool:
    """Whether every page took the same number of queries at each size."""
    _say(f"{database}, customers", [f"{size:,}" for size in sizes])
    for name, measured in pages.items():
        _say(f"  {name}: status", [str(one.status) for one in measured])
        _say(f"  {name}: queries", [str(one.queries) for one in measured])
        _say(f"  {name}: ms", [f"{one.milliseconds:.1f}" for one in measured])
    ratios = [measured[-1].queries / measured[0].queries for measured in pages.values()]
    same = all(ratio == 1 for ratio in ratios)
    shown = ", ".join(f"{ratio:g}" for ratio in ratios)
    report.say(f"{'met   ' if same else 'MISSED'} queries, most to fewest customers: {shown}\n")
    return same


def _say(name: str, values: Sequence[str]) -> None:
    report.say(f"{name:<{WIDTH}}" + "".join(f"{value:>12}" for value in values))


if __name__ == "__main__":
    sys.exit(main())
