"""Measure the admin's pages with 1,000 and with 100,000 customers: `python -m benchmarks.admin`.

Each must take as many queries with many customers as with few, and at most twice the time. Both
databases are asked in turns. Counting at a moment are as many customers in both: a pool of workers
gets no faster by having more customers. `--counting` says how many.
"""

import argparse
import sys
from importlib import import_module
from typing import Any

from benchmarks import places, report

SERVERS = ("postgresql", "mariadb", "sqlite")
FEW, MANY = 1_000, 100_000
COUNTING = 500
MOST = 2.0
WIDTH = 28


def main() -> int:
    given = _options()
    aliases = [alias for server in given.databases for alias in (server, f"{server}-large")]
    with (
        places.prepared_run(settings="benchmarks.admin_settings", redis={}),
        places.databases(aliases) as unreached,
    ):
        for name, reason in unreached.items():
            report.say(f"{name} is left out: {reason}")
        reached = [server for server in given.databases if server not in unreached]
        kept = [_table(server, given) for server in reached]
    return 0 if all(kept) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.admin", description=__doc__)
    parser.add_argument(
        "--databases", nargs="+", choices=SERVERS, default=SERVERS, help="all if left out"
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--customers", type=int, default=MANY, help=f"instead of {MANY:,}")
    parser.add_argument("--counting", type=int, default=COUNTING, help=f"instead of {COUNTING}")
    return parser.parse_args()


def _table(server: str, given: argparse.Namespace) -> bool:
    """Whether every page kept to its queries and its time."""
    # Models and all that uses them can be imported only now.
    pages: Any = import_module("benchmarks.admin_pages")
    few = pages.Place(server, customers=FEW, counting=given.counting)
    many = pages.Place(f"{server}-large", customers=given.customers, counting=given.counting)
    report.say(f"{server}, {given.counting:,} customers counting of")
    _say("", [f"{FEW:,}", f"{given.customers:,}", "ratio", "queries"])
    missed = []
    for name, one in pages.measured_in(few, many, rounds=given.rounds):
        queries = f"{one.few_queries} / {one.many_queries}"
        times = [f"{one.few_milliseconds:.1f} ms", f"{one.many_milliseconds:.1f} ms"]
        _say(name, [*times, f"{one.ratio:.2f}", queries])
        if one.ratio > MOST or one.few_queries != one.many_queries:
            missed.append(name)
    report.say(f"{'MISSED ' + ', '.join(missed) if missed else 'met'}\n")
    return not missed


def _say(name: str, values: list[str]) -> None:
    report.say(f"  {name:<{WIDTH}}" + "".join(f"{value:>14}" for value in values))


if __name__ == "__main__":
    sys.exit(main())
