"""The frozen values that rules, services and their callers hand to each other."""

from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

FLOOR = -1_000_000_000
"""Where a counter stops."""

BEST_PRIORITY = 1
WORST_PRIORITY = 9
THRESHOLD_COUNT = WORST_PRIORITY - BEST_PRIORITY
THRESHOLD_FIELDS = tuple(f"threshold_{number}" for number in range(1, THRESHOLD_COUNT + 1))

MIN_RESET_INTERVAL = 10
MAX_RESET_INTERVAL = 31_536_000

SECOND = 1_000_000
"""Times inside the app are whole microseconds since 1970-01-01T00:00Z."""

KEY_LENGTH = 64
KEY_PATTERN = (
    r"(?:[A-Za-z0-9_~:@-][A-Za-z0-9._~:@-]{0,63}"
    r"|\.[A-Za-z0-9_~:@-][A-Za-z0-9._~:@-]{0,62}"
    r"|\.\.[A-Za-z0-9._~:@-]{1,62})"
)
"""Neither `.` nor `..`."""
DOT_SEGMENTS = (".", "..")
"""What no address can hold: it is a step within one, even when written as `%2E`."""
DOCUMENT_LENGTH = 200
NAME_LENGTH = 200
POLICY_NAME_LENGTH = 64
ACTOR_LENGTH = 254
REASON_LENGTH = 500
SOURCE_LENGTH = 64

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MOMENT = datetime(9998, 1, 1, tzinfo=UTC)
"""So far from the year 9999 that no time zone and no interval leads beyond what Python can hold."""

NO_END = (LAST_MOMENT - EPOCH) // timedelta(microseconds=1)
"""What the column has for a pin without an end: every statement compares it like any other end."""


def from_microseconds(microseconds: int) -> datetime:
    return EPOCH + timedelta(0, 0, microseconds)


def utc_text(moment: datetime) -> str:
    """A moment as programs read it: UTC, to the microsecond, with a Z."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def optional_moment(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else from_microseconds(microseconds)


class Recovery(StrEnum):
    """How a counter gets better."""

    IDLE = "idle"
    WINDOW = "window"
    HALVING = "halving"


class State(StrEnum):
    """What a customer of the live list is doing; a pinned one is nothing else."""

    COUNTING = "counting"
    IDLE = "idle"
    PINNED = "pinned"


@dataclass(frozen=True, slots=True)
class PolicyTerms:
    """What a policy says: interval in seconds, recovery, the eight falling thresholds."""

    reset_interval: int = 1500
    recovery: Recovery = Recovery.IDLE
    thresholds: tuple[int, ...] = (-2, -4, -6, -8, -10, -12, -14, -20)

    @property
    def interval(self) -> int:
        """The reset interval in microseconds."""
        return self.reset_interval * SECOND


class CounterState(NamedTuple):
    """A counter as it is stored; both times are None until its first update."""

    pending_documents: int = 0
    updated_at: int | None = None
    recovered_at: int | None = None


class Pin(NamedTuple):
    """A priority set by hand until a time, or without an end."""

    priority: int
    until: int | None

    @classmethod
    def of_columns(cls, priority: int | None, until: int | None) -> "Pin | None":
        """The pin that a counter's columns hold; both are empty where there is none."""
        if priority is None or until is None:
            return None
        return cls(priority, None if until == NO_END else until)

    @property
    def until_column(self) -> int:
        return NO_END if self.until is None else self.until

    def holds(self, now: int) -> bool:
        return now < self.until_column


class NamedTerms(NamedTuple):
    """The terms a customer is under, and the policy's name; the default policy's is empty."""

    name: str
    terms: PolicyTerms


class Conditions(NamedTuple):
    """What holds for one call, whichever customers it is about: three settings, and the moment."""

    default: NamedTerms
    """The default policy."""
    create: bool
    """Whether a check makes a customer that is new."""
    lock_timeout_ms: int
    at: int | None = None
    """The time that stands in for the database's clock."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a customer's next document gets, or got, and why."""

    customer: str
    """The customer's key."""
    document: str
    """The document's id; empty where none was named."""
    pending_documents: int
    """The counter: 0 or below, one less for each document that came in quick succession."""
    priority: int
    """From 1, processed first, to 9, processed last."""
    pinned: bool
    """Whether the priority was set by hand, so that the counter did not decide."""
    reset: bool
    """Whether this check found the interval over and put the counter to 0."""
    repeated: bool
    """Whether the document had been decided before; then nothing was counted."""
    decided_at: datetime
    """When it was decided, by the database's clock, in UTC."""
    resets_at: datetime | None
    """When the counter is back at 0 if nothing more comes; None where it is at rest."""
    policy: str
    """The name of the policy it was decided by; the default one's is empty."""


DECISION_FIELDS = tuple(field.name for field in fields(Decision))

KEPT_FIELDS = tuple(name for name in DECISION_FIELDS if name not in ("customer", "repeated"))
"""What is kept of a decision on a document, beside the customer, in columns of the same names."""
