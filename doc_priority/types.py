"""The limits, the default policy, and the frozen values that services take and return."""

from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

FLOOR = -1_000_000_000
"""The lowest value of a counter."""

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
"""Excludes `.` and `..`."""
DOT_SEGMENTS = (".", "..")
"""In a URL these are steps between folders, even written as `%2E`, so no key or name has them."""
DOCUMENT_LENGTH = 200
NAME_LENGTH = 200
POLICY_NAME_LENGTH = 64
ACTOR_LENGTH = 254
REASON_LENGTH = 500
SOURCE_LENGTH = 64

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MOMENT = datetime(9998, 1, 1, tzinfo=UTC)
"""Two years before the last moment Python knows, so that adding an interval cannot overflow."""

NO_END = (LAST_MOMENT - EPOCH) // timedelta(microseconds=1)
"""What the column holds for a pin without an end, so that statements compare it like any end."""


def from_microseconds(microseconds: int) -> datetime:
    return EPOCH + timedelta(0, 0, microseconds)


def utc_text(moment: datetime) -> str:
    """The moment for programs: in UTC, to the microsecond, with a Z."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def optional_moment(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else from_microseconds(microseconds)


class Recovery(StrEnum):
    """How a counter gets better."""

    IDLE = "idle"
    WINDOW = "window"
    HALVING = "halving"


class State(StrEnum):
    """The state of a customer in the live list. A pinned customer is neither counting nor idle."""

    COUNTING = "counting"
    IDLE = "idle"
    PINNED = "pinned"


@dataclass(frozen=True, slots=True)
class PolicyTerms:
    """A policy without its name; the defaults here are those of the settings, too.

    Interval in seconds, recovery, and the eight falling thresholds.
    """

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
    """A priority set by hand until a time, or without an end; `rules.pin_holds` ends it."""

    priority: int
    until: int | None

    @classmethod
    def of_columns(cls, priority: int | None, until: int | None) -> "Pin | None":
        """The pin in a counter's columns; None if there is none and both are NULL."""
        if priority is None or until is None:
            return None
        return cls(priority, None if until == NO_END else until)

    @property
    def until_column(self) -> int:
        return NO_END if self.until is None else self.until


class NamedTerms(NamedTuple):
    """A policy and its name; the default policy has the empty name."""

    name: str
    terms: PolicyTerms


class Conditions(NamedTuple):
    """What holds for one call, whatever its customers: three settings and the time."""

    default: NamedTerms
    """The default policy."""
    create: bool
    """Whether a check creates a customer that is new."""
    lock_timeout_ms: int
    at: int | None = None
    """The time to use in place of the database's clock; None for that clock."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a customer's next document gets, or got, and why."""

    customer: str
    """The customer's key."""
    document: str
    """The document's id; empty where none was named."""
    pending_documents: int
    """The counter: 0 or below, and one less with each document in quick succession."""
    priority: int
    """From 1, processed first, to 9, processed last."""
    pinned: bool
    """Whether a pin gave the priority, and not the counter."""
    reset: bool
    """Whether the interval was over, so that this check set the counter to 0."""
    repeated: bool
    """Whether the document had a decision already; then nothing was counted."""
    decided_at: datetime
    """When it was decided, by the database's clock, in UTC."""
    resets_at: datetime | None
    """When the counter is back at 0 if no document comes; None for an idle customer."""
    policy: str
    """The name of the customer's policy at that time; empty for the default one."""


DECISION_FIELDS = tuple(field.name for field in fields(Decision))

KEPT_FIELDS = tuple(name for name in DECISION_FIELDS if name not in ("customer", "repeated"))
"""The fields that `DocumentDecision` has as columns; it refers to the customer by a foreign key."""
