"""What a policy does to a customer, told with numbers that the rule itself computes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority import rules
from doc_priority.admin.badges import badge
from doc_priority.admin.policy_spans import in_words
from doc_priority.numerals import numeral
from doc_priority.types import (
    FLOOR,
    SECOND,
    WORST_PRIORITY,
    CounterState,
    PolicyTerms,
    Recovery,
)

START = (9 * 60 + 41) * 60 * SECOND
"""When the example begins, in microseconds of its first day."""

FLOODED = 7
"""The priority that its documents lead to."""

LONGEST = 36_500 * 24 * 60 * 60
"""In seconds: nobody has to be warned of what takes more than a hundred years."""


class Step(NamedTuple):
    """Where the counter stands from a moment on if nothing more comes."""

    moment: int
    pending_documents: int
    priority: int

    @property
    def time(self) -> str:
        return clock(self.moment)

    @property
    def shown_count(self) -> str:
        return numeral(self.pending_documents)

    @property
    def badge(self) -> SafeString:
        return badge(self.priority)


@dataclass(frozen=True, slots=True)
class Example:
    """Many documents at once, how the counter recovers, and what one more document does."""

    terms: PolicyTerms
    documents: int
    flooded: CounterState
    later: int
    one_more: CounterState

    @property
    def sent(self) -> str:
        return ngettext(
            "A customer who has sent nothing for more than %(interval)s sends "
            "%(documents)s document at %(start)s.",
            "A customer who has sent nothing for more than %(interval)s sends "
            "%(documents)s documents at %(start)s, all at once.",
            self.documents,
        ) % {
            "interval": in_words(timedelta(seconds=self.terms.reset_interval)),
            "documents": numeral(self.documents),
            "start": clock(START),
        }

    @property
    def counted(self) -> str:
        return _(
            "The first one leaves the counter at 0 and gets priority 1; "
            "the last one leaves it at %(count)s and gets priority %(priority)d."
        ) % self._told(self.flooded)

    @property
    def steps(self) -> tuple[Step, ...]:
        """How the priority gets better without another document."""
        return tuple(_steps(self.flooded, self.terms, START))

    @property
    def recovers(self) -> str:
        return self._template_of_recovery() % self._told(self.flooded)

    def _template_of_recovery(self) -> str:
        if self.terms.recovery == Recovery.HALVING:
            return _("Without another document the counter is back at 0 at %(end)s.")
        if self.terms.recovery == Recovery.WINDOW:
            return _(
                "The counter is back at 0 and the priority at 1 at %(end)s, "
                "even if documents come before then."
            )
        return _(
            "Without another document the counter is back at 0 and the priority at 1 at %(end)s."
        )

    @property
    def goes_on(self) -> str:
        return self._template_of_later() % {
            **self._told(self.one_more),
            "later": clock(self.later),
        }

    def _template_of_later(self) -> str:
        if self.terms.recovery == Recovery.WINDOW:
            return _(
                "One more document at %(later)s leaves the counter at %(count)s and gets "
                "priority %(priority)d, and the counter is back at 0 at %(end)s all the same."
            )
        return _(
            "But one more document at %(later)s leaves the counter at %(count)s and gets "
            "priority %(priority)d. Without yet another one the counter is then back at 0 "
            "at %(end)s."
        )

    def _told(self, state: CounterState) -> dict[str, str | int]:
        return {
            "count": numeral(state.pending_documents),
            "priority": rules.priority_of(state.pending_documents, self.terms.thresholds),
            "end": clock(rules.resets_at(state, self.terms) or START),
        }


@dataclass(frozen=True, slots=True)
class Trickle:
    """What `idle` does to a customer who never sends much, and never pauses for an interval.

    Its times are whole seconds: a timedelta ends long before the thresholds do.
    """

    gap: int
    takes: int
    priority: int

    @property
    def told(self) -> str:
        return _(
            "A customer who sends one document every %(gap)s never recovers under this policy: it "
            "stands at %(priority)d after %(takes)s and then waits as long as one who sends "
            "thousands. Where that is unfair, give it a policy with another recovery."
        ) % {
            "gap": in_words(timedelta(seconds=self.gap)),
            "priority": self.priority,
            "takes": in_words(timedelta(seconds=self.takes)),
        }


def example_of(terms: PolicyTerms) -> Example:
    documents = 1 - _first_count(FLOODED, terms)
    flooded = rules.check(CounterState(), terms, START, documents=documents)
    later = START + _four_fifths(terms) * SECOND
    return Example(terms, documents, flooded, later, rules.check(flooded, terms, later))


def trickle_of(terms: PolicyTerms) -> Trickle | None:
    """Of a policy under which only a pause helps; None where it is none, or takes too long."""
    if terms.recovery != Recovery.IDLE:
        return None
    is_reached = terms.thresholds[-1] > FLOOR
    priority = WORST_PRIORITY if is_reached else WORST_PRIORITY - 1
    gap = _four_fifths(terms)
    takes = -_first_count(priority, terms) * gap
    return Trickle(gap, takes, priority) if takes <= LONGEST else None


def clock(moment: int) -> str:
    """`09:41`, `09:43:30`, and which day it is when it is another one."""
    minutes, tenths = divmod(moment * 10 // SECOND, 600)
    days, minutes = divmod(minutes, 24 * 60)
    time = f"{minutes // 60:02}:{minutes % 60:02}{_seconds(tenths)}"
    if not days:
        return time
    if days == 1:
        return _("%(time)s on the next day") % {"time": time}
    template = ngettext("%(time)s, %(days)s day later", "%(time)s, %(days)s days later", days)
    return template % {"time": time, "days": numeral(days)}


def _seconds(tenths: int) -> str:
    if not tenths:
        return ""
    if tenths % 10:
        return f":{number_format(tenths / 10, 1).rjust(4, '0')}"
    return f":{tenths // 10:02}"


def _steps(state: CounterState, terms: PolicyTerms, now: int) -> Iterator[Step]:
    while (moment := rules.improves_at(state, terms, now)) is not None:
        now = moment + 1
        pending_documents = rules.peek(state, terms, now).pending_documents
        yield Step(
            moment, pending_documents, rules.priority_of(pending_documents, terms.thresholds)
        )


def _first_count(priority: int, terms: PolicyTerms) -> int:
    """The highest count that stands at this priority, which is not the best one."""
    return terms.thresholds[priority - 2] - 1


def _four_fifths(terms: PolicyTerms) -> int:
    """In whole seconds: near the end of the interval, and within it."""
    return terms.reset_interval * 4 // 5
