"""How priorities work: what the company tells its customers about the rule, policy by policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.forms import Media
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority import rules
from doc_priority.admin.base import Page
from doc_priority.admin.formatting import badge, span_in_words
from doc_priority.conf import settings
from doc_priority.explanations import numeral
from doc_priority.models import Policy
from doc_priority.types import (
    BEST_PRIORITY,
    FLOOR,
    SECOND,
    WORST_PRIORITY,
    CounterState,
    PolicyTerms,
    Recovery,
)


class Tab(NamedTuple):
    """A policy to choose; the default one has no name."""

    name: str
    address: str
    is_current: bool


class RulePage(Page):
    """The rule under the policy that the address names, with a tab for each policy."""

    route = "how-priorities-work/"
    name = "doc_priority_rule"
    media = Media(css={"all": ["doc_priority/policy.css"]})

    def is_permitted(self, request: HttpRequest) -> bool:
        return (
            super().is_permitted(request)
            or request.user.has_perm("doc_priority.view_policy")
            or request.user.has_perm("doc_priority.change_policy")
        )

    def respond(self, request: HttpRequest, **arguments: Any) -> HttpResponse:
        asked = request.GET.get("policy", "")
        named = Policy.objects.primary()
        policies = [settings.default_policy, *(one.named_terms for one in named)]
        here = reverse(f"admin:{self.name}", current_app=self.model_admin.admin_site.name)
        tabs = []
        for one in policies:
            address = f"{here}?{urlencode({'policy': one.name})}" if one.name else here
            tabs.append(Tab(one.name, address, one.name == asked))
        policy = next((one for one in policies if one.name == asked), None)
        response = self.rendered(
            request,
            "rule",
            title=_("How priorities work"),
            tabs=tabs,
            asked=asked,
            policy=policy,
            **({} if policy is None else _explained(policy.terms)),
        )
        response.status_code = HTTPStatus.NOT_FOUND if policy is None else HTTPStatus.OK
        return response


def _explained(terms: PolicyTerms) -> dict[str, Any]:
    interval = timedelta(seconds=terms.reset_interval)
    after_reset = rules.check(rules.reset(CounterState(), 0), terms, 0).pending_documents
    return {
        "interval": span_in_words(interval),
        "tenth": span_in_words(interval / rules.TENTHS),
        "recovery": terms.recovery.value,
        "levels": levels_of(terms.thresholds),
        "example": example_of(terms),
        "trickle": trickle_of(terms),
        "priority_after_reset": rules.priority_of(after_reset, terms.thresholds),
    }


# The nine levels: which counts stand at which priority.


class Level(NamedTuple):
    """The counts of one priority; the last one has no lowest."""

    priority: int
    highest: int
    lowest: int | None

    @property
    def badge(self) -> SafeString:
        return badge(self.priority)

    @property
    def pending_documents(self) -> str:
        """`0 to −2`, `−21 and below`."""
        if self.highest < FLOOR:
            return _("never: the counter stops at %(floor)s") % {"floor": numeral(FLOOR)}
        if self.lowest is None:
            return _("%(count)s and below") % {"count": numeral(self.highest)}
        return _range(self.highest, self.lowest)

    @property
    def documents(self) -> str:
        """Which of many documents sent at once get it; the first leaves the counter at 0."""
        if self.highest < FLOOR:
            return _("none")
        if self.lowest is None:
            return _("%(count)s and after") % {"count": numeral(1 - self.highest)}
        return _range(1 - self.highest, 1 - self.lowest)


def levels_of(thresholds: Sequence[int]) -> list[Level]:
    highest = [0, *(threshold - 1 for threshold in thresholds)]
    lowest = [*thresholds, None]
    return [
        Level(priority, *counts)
        for priority, counts in enumerate(zip(highest, lowest, strict=True), start=BEST_PRIORITY)
    ]


def _range(first: int, last: int) -> str:
    if first == last:
        return numeral(first)
    return _("%(first)s to %(last)s") % {"first": numeral(first), "last": numeral(last)}


# An example, with numbers that the rule itself computes.

START = (9 * 60 + 41) * 60 * SECOND
"""When the example begins, in microseconds of its first day."""

FLOODED = 7
"""The priority of the last of the example's many documents."""


class Step(NamedTuple):
    """From which moment the counter has which value, if nothing more comes."""

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
            "interval": span_in_words(timedelta(seconds=self.terms.reset_interval)),
            "documents": numeral(self.documents),
            "start": clock(START),
        }

    @property
    def counted(self) -> str:
        return _(
            "The first one leaves the counter at 0 and gets priority 1; "
            "the last one leaves it at %(count)s and gets priority %(priority)d."
        ) % self._values(self.flooded)

    @property
    def steps(self) -> tuple[Step, ...]:
        """How the priority gets better without another document."""
        steps: list[Step] = []
        now = START
        while (moment := rules.improves_at(self.flooded, self.terms, now)) is not None:
            now = moment + 1
            count = rules.peek(self.flooded, self.terms, now).pending_documents
            steps.append(Step(moment, count, rules.priority_of(count, self.terms.thresholds)))
        return tuple(steps)

    @property
    def recovers(self) -> str:
        if self.terms.recovery == Recovery.HALVING:
            template = _("Without another document the counter is back at 0 at %(end)s.")
        elif self.terms.recovery == Recovery.WINDOW:
            template = _(
                "The counter is back at 0 and the priority at 1 at %(end)s, "
                "even if documents come before then."
            )
        else:
            template = _(
                "Without another document the counter is back at 0 and the priority at 1 "
                "at %(end)s."
            )
        return template % self._values(self.flooded)

    @property
    def goes_on(self) -> str:
        if self.terms.recovery == Recovery.WINDOW:
            template = _(
                "One more document at %(later)s leaves the counter at %(count)s and gets "
                "priority %(priority)d, and the counter is back at 0 at %(end)s all the same."
            )
        else:
            template = _(
                "But one more document at %(later)s leaves the counter at %(count)s and gets "
                "priority %(priority)d. Without yet another one the counter is then back at 0 "
                "at %(end)s."
            )
        return template % {**self._values(self.one_more), "later": clock(self.later)}

    def _values(self, state: CounterState) -> dict[str, str | int]:
        return {
            "count": numeral(state.pending_documents),
            "priority": rules.priority_of(state.pending_documents, self.terms.thresholds),
            "end": clock(rules.resets_at(state, self.terms) or START),
        }


def example_of(terms: PolicyTerms) -> Example:
    documents = 1 - _first_count(FLOODED, terms)
    flooded = rules.check(CounterState(), terms, START, documents=documents)
    later = START + _four_fifths(terms) * SECOND
    return Example(terms, documents, flooded, later, rules.check(flooded, terms, later))


LONGEST = 36_500 * 24 * 60 * 60
"""In seconds: nobody has to be warned of what takes more than a hundred years."""


class Trickle(NamedTuple):
    """What `idle` does to a customer who never sends much, and never pauses for an interval.

    Its times are whole seconds: a timedelta ends long before the thresholds do.
    """

    gap: int
    takes: int
    priority: int

    @property
    def sentence(self) -> str:
        return _(
            "A customer who sends one document every %(gap)s never recovers under this policy: it "
            "stands at %(priority)d after %(takes)s and then waits as long as one who sends "
            "thousands. Where that is unfair, give it a policy with another recovery."
        ) % {
            "gap": span_in_words(timedelta(seconds=self.gap)),
            "priority": self.priority,
            "takes": span_in_words(timedelta(seconds=self.takes)),
        }


def trickle_of(terms: PolicyTerms) -> Trickle | None:
    """Only `idle` has one, and only where it takes less than a hundred years."""
    if terms.recovery != Recovery.IDLE:
        return None
    is_reached = terms.thresholds[-1] > FLOOR
    priority = WORST_PRIORITY if is_reached else WORST_PRIORITY - 1
    gap = _four_fifths(terms)
    takes = -_first_count(priority, terms) * gap
    return Trickle(gap, takes, priority) if takes <= LONGEST else None


def _first_count(priority: int, terms: PolicyTerms) -> int:
    """The highest count that stands at this priority, which is not the best one."""
    return terms.thresholds[priority - 2] - 1


def _four_fifths(terms: PolicyTerms) -> int:
    """In whole seconds: near the end of the interval, and within it."""
    return terms.reset_interval * 4 // 5


def clock(moment: int) -> str:
    """`09:41`, `09:43:30`, and which day it is when it is another one."""
    minutes, tenths = divmod(moment * 10 // SECOND, 600)
    days, minutes = divmod(minutes, 24 * 60)
    time = f"{minutes // 60:02}:{minutes % 60:02}"
    if tenths % 10:
        time += f":{number_format(tenths / 10, 1).rjust(4, '0')}"
    elif tenths:
        time += f":{tenths // 10:02}"
    if not days:
        return time
    if days == 1:
        return _("%(time)s on the next day") % {"time": time}
    template = ngettext("%(time)s, %(days)s day later", "%(time)s, %(days)s days later", days)
    return template % {"time": time, "days": numeral(days)}
