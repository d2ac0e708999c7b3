"""One turn of wrk: so many requests per second, all of them answered."""

import json
import shutil
import subprocess
import time
from pathlib import Path

from benchmarks.rest_plan import CONTENDERS, Turn
from benchmarks.run import CUSTOMERS

SCRIPT = Path(__file__).with_name("rest_load.lua")
CONNECTIONS = 4
PATIENCE = 10
"""Seconds after which a request counts as failed."""


def program() -> str | None:
    return shutil.which("wrk")


def rate(turn: Turn, address: str, token: str, seconds: int) -> float:
    """Requests per second; a single one that failed makes the turn worthless."""
    # One SQLite file has one writer at a time: with more one measures how it waits.
    connections = 1 if turn.database == "sqlite" else CONNECTIONS
    many = ["--threads", "1", "--connections", str(connections)]
    long = ["--duration", f"{seconds}s", "--timeout", f"{PATIENCE}s"]
    what = ["--script", str(SCRIPT), address, "--", *_arguments(turn, token)]
    command = ["wrk", *many, *long, *what]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    counted = json.loads(ended.stdout.splitlines()[-1])
    if counted["refused"] or counted["broken"] or not counted["requests"]:
        raise RuntimeError(f"{turn}: {counted}")
    return float(counted["requests"] / counted["microseconds"] * 1_000_000)


def _arguments(turn: Turn, token: str) -> list[str]:
    customers = 1 if turn.load.is_of_one else CUSTOMERS
    word = [str(time.time_ns())] if turn.load.names_documents else []
    return [CONTENDERS[turn.contender].prefix, token, str(customers), *word]
