"""How long who lost to another transaction waits before it begins again."""

import pytest

from doc_priority.services import transactions


def test_longer_and_longer_and_never_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """At random up to a limit that doubles; whoever begins anew does not wait."""
    drawn: list[tuple[float, float]] = []
    slept: list[float] = []

    def longest(least: float, most: float) -> float:
        drawn.append((least, most))
        return most

    monkeypatch.setattr(transactions.random, "uniform", longest)
    monkeypatch.setattr(transactions.time, "sleep", slept.append)
    for attempt in range(10):
        transactions.pause_before(attempt)
    limits = [0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.1, 0.1]
    assert slept == pytest.approx(limits)
    assert [least for least, _ in drawn] == [0] * len(limits)
