"""How far an order of documents is from that of their priorities."""

from collections.abc import Sequence
from itertools import combinations


def inversions(levels: Sequence[int]) -> int:
    """The pairs of which the one with the worse level came first."""
    return sum(earlier > later for earlier, later in combinations(levels, 2))
