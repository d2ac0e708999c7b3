"""The fewest steps that still show a difference."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Step = TypeVar("Step")


def fewest(
    steps: Sequence[Step], fails: Callable[[Sequence[Step]], bool], *, trials: int = 400
) -> list[Step]:
    """Leave out ever smaller parts while it still fails; no single step can be left out then.

    After so many trials what is left is good enough.
    """
    left = list(steps)
    part = max(len(left) // 2, 1)
    while trials > 0:
        start, shorter = 0, False
        while start < len(left) and trials > 0:
            without = left[:start] + left[start + part :]
            trials -= 1
            if fails(without):
                left, shorter = without, True
            else:
                start += part
        if part == 1 and not shorter:
            break
        part = max(part // 2, 1)
    return left
