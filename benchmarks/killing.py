"""Kill publishers and Celery workers while they handle documents: `python -m benchmarks.killing`.

Two publishers and two workers share 2,000 documents with ids; one of the four is killed (SIGKILL) a
hundred times and started again. Every document must be done, none charged twice and none lost. The
counters lie in PostgreSQL, the broker is a Redis of this run's own.
"""

import argparse
import sys
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from django.db import connections

from benchmarks import places, report

DATABASE = "postgresql"
DOCUMENTS, KILLS = 2_000, 100
LIMIT = 1_200
"""Seconds after which a run is given up."""


def main() -> int:
    given = _options()
    with (
        places.redis_servers() as redis,
        places.prepared_run(settings="benchmarks.settings", redis=redis) as run,
        places.databases([DATABASE]) as unreached,
    ):
        if unreached or not redis:
            report.say(f"Not measured: {unreached or 'there is no redis-server'}")
            return 1
        connections["default"] = connections[DATABASE]
        found = _outcome(given, folder=run.folder, name=run.name, port=redis["volatile"])
    report.say(
        f"{found.documents:,} documents, {found.kills} kills, {found.seconds:.0f} s: "
        f"{found.done:,} done ({found.more_than_once} of them more than once, "
        f"{found.repeated} sent again in the end), "
        f"{found.decided:,} decided, {found.charged:,} charged"
    )
    kept = found.is_exact() and found.kills == given.kills
    report.say("met    every document done, none charged twice" if kept else "MISSED")
    return 0 if kept else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.killing", description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--kills", type=int, default=KILLS)
    return parser.parse_args()


def _outcome(given: argparse.Namespace, *, folder: str, name: str, port: int) -> Any:
    # Models and all that uses them can be imported only now.
    killing = import_module("tests.contrib.celery.killing")
    portal = import_module("tests.contrib.celery.portal")
    server = urlsplit(import_module("benchmarks.settings").POSTGRESQL_URL)
    return killing.outcome(
        portal.Terms(f"redis://127.0.0.1:{port}/0", "documents", folder, conf=killing.CONF),
        documents=given.documents,
        kills=given.kills,
        environment={
            "DATABASE_URL": server._replace(path=f"/{name}").geturl(),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        },
        limit=LIMIT,
    )


if __name__ == "__main__":
    sys.exit(main())
