"""What is measured: something that counts, on a database, under a load."""

from enum import StrEnum
from typing import NamedTuple

CLIENTS = 8


class Load(StrEnum):
    ONE = "1 client"
    DIFFERENT = "8 on different customers"
    SAME = "8 on one customer"

    @property
    def clients(self) -> int:
        return 1 if self is Load.ONE else CLIENTS


ALL_LOADS = tuple(Load)
WITHOUT_CONTENTION = (Load.ONE, Load.DIFFERENT)


class Measure(NamedTuple):
    """`database` is an alias of the settings; what uses none has the one it runs beside."""

    database: str
    contender: str
    load: Load = Load.ONE
