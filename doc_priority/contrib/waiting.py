"""Which engines can tell since when their oldest document waits, and how to ask them."""

from collections.abc import Callable
from datetime import datetime

engines: dict[str, Callable[[], datetime | None]] = {}
"""By the engine's name; None means that nothing waits."""


def tells_oldest(engine: str, oldest: Callable[[], datetime | None]) -> None:
    """Ask this function about this engine from now on."""
    engines[engine] = oldest
