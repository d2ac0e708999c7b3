"""Measure the REST check beside bare views: `python -m benchmarks.rest`.

All take turns within one run, so that their ratios mean something where absolute numbers do not.
"""

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from django.conf import settings

from benchmarks import run
from benchmarks.run import CUSTOMERS, Comparison, Measure, customer

OURS = "doc_priority.api"
LEANEST, USUAL = "leanest APIView", "ModelViewSet, select_for_update"
EACH_TIME = "a connection per request"
# The address of each, and whether the server keeps its connections.
CONTENDERS = {
    OURS: ("api", True),
    LEANEST: ("leanest", True),
    USUAL: ("usual", True),
    EACH_TIME: ("api", False),
}
ONE, MANY = "{} of one customer", "{} of many"
DOCUMENTS_OF_ONE, DOCUMENTS_OF_MANY = "documents of one", "documents of many"
LOADS = (ONE, MANY, DOCUMENTS_OF_ONE, DOCUMENTS_OF_MANY)
SETTINGS: dict[str, Any] = {
    "ROOT_URLCONF": "benchmarks.rest_views",
    "MIDDLEWARE": [],
    "INSTALLED_APPS": [
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "rest_framework",
        "knox",
        "doc_priority",
    ],
    "REST_FRAMEWORK": {
        "DEFAULT_AUTHENTICATION_CLASSES": ["knox.auth.TokenAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    },
}


def main() -> int:
    parser = run.options("rest", __doc__, rounds=5, databases=True)
    parser.add_argument("--quick", action="store_true", help="1 round, two of the four loads")
    given = parser.parse_args()
    if not shutil.which("wrk"):
        sys.stderr.write("wrk is missing: install it (Debian: apt install wrk).\n")
        return 1
    loads, rounds = ((MANY, DOCUMENTS_OF_MANY), 1) if given.quick else (LOADS, given.rounds)
    compared: list[Comparison] = []
    measured: list[dict[Measure, float]] = [{} for _ in range(rounds)]
    with run.prepared(given.databases, **SETTINGS) as reached:
        for database in reached:
            mine = list(comparisons(database, loads))
            compared += mine
            for number, rates in enumerate(rounds_of(database, mine, rounds)):
                measured[number] |= rates
    run.report(compared, measured, unit="requests per second")
    return 0


def comparisons(database: str, loads: Sequence[str]) -> Iterator[Comparison]:
    """What says little under other loads has one only."""
    for load in loads:
        for contender in CONTENDERS if load == MANY else (LEANEST, USUAL):
            if contender != OURS:
                needs = ((database, OURS, load), (database, contender, load))
                yield Comparison(contender, needs)


def rounds_of(
    database: str, compared: Sequence[Comparison], rounds: int
) -> Iterator[dict[Measure, float]]:
    """Rates of one round after another, every other one in the opposite order."""
    needed = dict.fromkeys(measure for one in compared for measure in one.needs)
    order = sorted(needed, key=lambda measure: LOADS.index(measure[2]))
    token = token_of_caller(database)
    with ExitStack() as stack:
        addresses = {
            keeps: stack.enter_context(serving(database, keeps)) for keeps in (True, False)
        }
        prove_equal(addresses, token)

        def rate(measure: Measure) -> float:
            return rate_of_wrk(measure, addresses[CONTENDERS[measure[1]][1]], token)

        for contender in CONTENDERS:
            rate((database, contender, MANY))  # so that every view is warm
        for number in range(rounds):
            started = time.monotonic()
            yield {measure: rate(measure) for measure in order}
            order.reverse()
            seconds = time.monotonic() - started
            run.say(f"{database}: round {number + 1} of {rounds}: {seconds:.0f} s")


def token_of_caller(database: str) -> str:
    """Its permissions come through a group, as those of a program's account would."""
    from django.contrib.auth.models import Group, Permission, User
    from knox.models import AuthToken

    from doc_priority.services import check_many

    run.enter(database)
    check_many([customer(number) for number in range(CUSTOMERS)])
    group = Group.objects.create(name="programs")
    names = ("check_customer", "view_customer")
    group.permissions.set(Permission.objects.filter(codename__in=names))
    user = User.objects.create_user("member")
    user.groups.add(group)
    return str(AuthToken.objects.create(user)[1])


@contextmanager
def serving(database: str, keeps_connections: bool) -> Iterator[str]:
    """The address of gunicorn with two synchronous workers."""
    default = dict(settings.DATABASES[database])
    default["CONN_MAX_AGE"] = None if keeps_connections else 0
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        # Who asks before the workers are there waits, for the address is bound already.
        command = ["gunicorn", "--bind", f"fd://{listening.fileno()}", "--workers", "2"]
        command += ["--log-level", "warning", "--no-control-socket"]
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", *command, "django.core.wsgi:get_wsgi_application()"],
            env=run.environment(DATABASES={"default": default}),
            pass_fds=[listening.fileno()],
        )
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            process.terminate()
            process.wait()


def prove_equal(addresses: Mapping[bool, str], token: str) -> None:
    """All refuse a wrong token, count the same for a customer of their own, and answer the same."""

    def ask(address: str, token: str, body: dict[str, str] | None) -> Any:
        headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        with urlopen(Request(address, content, headers), timeout=60) as answer:  # noqa: S310
            return json.load(answer)

    expected = None
    for number, (name, (prefix, keeps)) in enumerate(CONTENDERS.items()):
        address = f"{addresses[keeps]}/{prefix}/customers/{customer(number)}/check/"
        answers = []
        for body in ({}, {}, {"document": "proof"}, {"document": "proof"}):
            answer = ask(address, token, body)
            resets, decided = (
                datetime.fromisoformat(answer[one]) for one in ("resets_at", "decided_at")
            )
            same = {"customer": answer["customer"] == customer(number), "decided_at": ""}
            answers.append({**answer, **same, "resets_at": (resets - decided).total_seconds()})
        expected = expected or answers
        if answers != expected:
            raise SystemExit(f"{name}: {answers} is not {expected}")
        looked_at = f"{addresses[True]}/api/customers/{customer(number)}/"
        counted = ask(looked_at, token, None)["pending_documents"]
        if counted != -3:
            raise SystemExit(f"{name}: the counter stands at {counted}")
        try:
            ask(address, "wrong", {})
        except HTTPError as error:
            with error:
                if error.code == 401:
                    continue
        raise SystemExit(f"{name} takes any token")


def rate_of_wrk(measure: Measure, address: str, token: str) -> float:
    """Requests per second of one second; a single one that failed makes them worthless."""
    database, contender, load = measure
    # One SQLite file has one writer at a time: with more one measures how it waits.
    connections = "1" if database == "sqlite" else "4"
    customers = 1 if load in (ONE, DOCUMENTS_OF_ONE) else CUSTOMERS
    word = [str(time.time_ns())] if load in (DOCUMENTS_OF_ONE, DOCUMENTS_OF_MANY) else []
    command = ["wrk", "--threads", "1", "--connections", connections, "--duration", "1s"]
    command += ["--timeout", "10s", "--script", str(Path(__file__).with_name("rest_load.lua"))]
    command += [address, "--", CONTENDERS[contender][0], token, str(customers), *word]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    counted = json.loads(ended.stdout.splitlines()[-1])
    if counted["refused"] or counted["broken"] or not counted["requests"]:
        raise RuntimeError(f"{measure}: {counted}")
    return float(counted["requests"] / counted["microseconds"] * 1_000_000)


if __name__ == "__main__":
    sys.exit(main())
