"""Which engines can tell since when their oldest document waits, and how to ask them."""

from collections.abc import Callable
from datetime import datetime

engines: dict[str, Callable[[], datetime | None]] = {}
"""By the engine's name; None means that nothing waits. The adapters put theirs in."""
