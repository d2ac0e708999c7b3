"""Keys, documents, terms and settings to draw from: those that are easily mixed up among them."""

from random import Random
from typing import Any

CUSTOMERS = ("acme", "Acme", "ACME", "a~b", "a.b", "x@y:z", "-", "0", "z" * 64)
DOCUMENTS = ("d", "D", "d ", " d", "d%s", "d|1", "ß", "ss", "文", "d'", *map(str, range(6)))
POLICIES = ("gold|1", "gold|1 ", "%s;'", "Größe")
INTERVALS = (10, 11, 97, 600, 1500, 1500, 1500, 3600, 86_400, 31_536_000)
RECOVERIES = ("idle", "window", "halving", "halving")
THRESHOLDS = (
    (-2, -4, -6, -8, -10, -12, -14, -20),
    (0, -1, -2, -3, -4, -5, -6, -7),
    (-1, -2, -4, -8, -16, -32, -64, -128),
    (-2, -4, -6, -8, -10, -1000, -999_999_999, -1_000_000_000),
)


def terms(random: Random) -> dict[str, Any]:
    return {
        "reset_interval": random.choice(INTERVALS),
        "recovery": random.choice(RECOVERIES),
        "thresholds": _thresholds(random),
    }


def settings(random: Random) -> dict[str, Any]:
    return {
        "RESET_INTERVAL": random.choice(INTERVALS),
        "RECOVERY": random.choice(RECOVERIES),
        "THRESHOLDS": _thresholds(random),
        "CREATE_CUSTOMERS": random.random() < 0.7,
        "DOCUMENT_RETENTION_DAYS": random.choice((1, 2, 30)),
        "EVENT_RETENTION_DAYS": random.choice((1, 30, 730)),
    }


def items(random: Random, customers: list[str]) -> list[Any]:
    """Documents and no documents mixed, or no documents alone; repeats of both."""
    count = random.choice((0, 1, 2, 3, 5, 8, 30))
    keys = random.choices(customers, k=count)
    if random.random() < 0.4:
        return keys
    return [
        key if random.random() < 0.4 else (key, random.choice(("", *DOCUMENTS))) for key in keys
    ]


def some_of(random: Random, values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if random.random() < 0.6}


def _thresholds(random: Random) -> tuple[int, ...]:
    if random.random() < 0.6:
        return random.choice(THRESHOLDS)
    return tuple(sorted(random.sample(range(-40, 1), 8), reverse=True))
