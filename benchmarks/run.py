"""What one run has made for itself; the processes it starts read it from the environment."""

import json
import os
from dataclasses import asdict, dataclass
from typing import Self

VARIABLE = "DOC_PRIORITY_BENCHMARK"
DATABASE_VARIABLE = "DOC_PRIORITY_BENCHMARK_DATABASE"
"""The database that is a server process's only one."""
EACH_TIME_VARIABLE = "DOC_PRIORITY_BENCHMARK_CONNECT_EACH_TIME"
"""Set where every request opens a connection."""
CUSTOMERS = 10_000
"""Customers there are in every database, so that its indexes have some depth."""


@dataclass(frozen=True)
class Run:
    """The database's name, the folder of files, and the port of each Redis."""

    name: str
    folder: str
    redis: dict[str, int]

    @classmethod
    def current(cls) -> Self:
        return cls(**json.loads(os.environ[VARIABLE]))

    def publish(self, *, settings: str) -> None:
        os.environ[VARIABLE] = json.dumps(asdict(self))
        os.environ["DJANGO_SETTINGS_MODULE"] = settings


def customer(number: int) -> str:
    return f"customer-{number:05}"
