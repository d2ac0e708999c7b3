"""The rule once more, told as what happens to a counter while time goes by.

It is slow and does one thing after the other on purpose: nothing here may be taken from, or give
an idea to, the code under test. Intervals are seconds, moments whole microseconds since 1970.
"""

from dataclasses import dataclass, replace

FLOOR = -(10**9)
MILLION = 10**6


@dataclass(frozen=True)
class Terms:
    seconds: int
    recovery: str
    thresholds: tuple[int, ...]
    name: str = ""


@dataclass(frozen=True)
class Counter:
    """Never updated until `updated` says when; a pin is a priority and when it ends."""

    count: int = 0
    updated: int | None = None
    recovered: int | None = None
    pin: tuple[int, int] | None = None

    def moment(self, clock: int) -> int:
        """The clock never goes back for a counter."""
        return clock if self.updated is None or self.updated < clock else self.updated

    def is_pinned(self, clock: int) -> bool:
        return self.pin is not None and self.pin[1] > self.moment(clock)


def priority(count: int, terms: Terms) -> int:
    worse = [threshold for threshold in terms.thresholds if count < threshold]
    return 1 + len(worse)


def is_over(counter: Counter, terms: Terms, clock: int) -> bool:
    """Whether more than the interval has passed; never updated is over, too."""
    if counter.updated is None or counter.recovered is None:
        return True
    since = [counter.updated]
    if terms.recovery == "window":
        since.append(counter.recovered)
    whole = terms.seconds * MILLION
    return any(counter.moment(clock) - begin > whole for begin in since)


def recovered(counter: Counter, terms: Terms, clock: int) -> Counter:
    """With every halving made that time brought, one tenth of the interval after the other."""
    if terms.recovery != "halving" or counter.recovered is None:
        return counter
    count, since, tenth = counter.count, counter.recovered, terms.seconds * MILLION // 10
    while count and since + tenth <= counter.moment(clock):
        count, since = -(abs(count) // 2), since + tenth
    # At 0 there is nothing to halve, and only the moment moves on.
    since += (counter.moment(clock) - since) // tenth * tenth
    return replace(counter, count=count, recovered=since)


def checked(counter: Counter, terms: Terms, clock: int) -> Counter:
    now = counter.moment(clock)
    if is_over(counter, terms, clock):
        return replace(counter, count=0, updated=now, recovered=now)
    after = recovered(counter, terms, clock)
    return replace(after, count=after.count - 1 if after.count > FLOOR else FLOOR, updated=now)


def put_back(counter: Counter, clock: int) -> Counter:
    """Reset by hand."""
    now = counter.moment(clock)
    return replace(counter, count=0, updated=now, recovered=now)


def looked_at(counter: Counter, terms: Terms, clock: int) -> int:
    """The count that holds now."""
    if is_over(counter, terms, clock):
        return 0
    return recovered(counter, terms, clock).count


def is_counting(counter: Counter, terms: Terms, clock: int) -> bool:
    """Whether there is still something to wait for."""
    if is_over(counter, terms, clock):
        return False
    return terms.recovery != "halving" or looked_at(counter, terms, clock) != 0


def back_at_zero(counter: Counter, terms: Terms) -> int | None:
    """When the count is 0 again if nothing more comes: the first of all that brings it there."""
    if counter.updated is None or counter.recovered is None:
        return None
    ways = [counter.updated + terms.seconds * MILLION]
    if terms.recovery == "window":
        ways.append(counter.recovered + terms.seconds * MILLION)
    if terms.recovery == "halving":
        count, moment = abs(counter.count), counter.recovered
        while count:
            count, moment = count // 2, moment + terms.seconds * MILLION // 10
        ways.append(moment)
    return min(ways)
