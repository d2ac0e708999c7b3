"""How priorities work: the rule in words for people, policy by policy."""

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
from django.utils.translation import ngettext, npgettext_lazy

from doc_priority import rules
from doc_priority.admin.base import Page
from doc_priority.admin.formatting import badge
from doc_priority.conf import settings
from doc_priority.explanations import numeral
from doc_priority.formats import AT, duration, duration_after_preposition
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

HOUR = 60 * 60 * SECOND
DAY = 24 * HOUR
SECONDS_OF_A_MINUTE = 60


class Tab(NamedTuple):
    """A policy to choose; the default policy has no name."""

    name: str
    address: str
    is_current: bool


class RulePage(Page):
    """The rule with the policy that the address names, and a tab for each policy."""

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
        policies = [settings.default_policy, *(policy.named_terms for policy in named)]
        here = reverse(f"admin:{self.name}", current_app=self.model_admin.admin_site.name)
        tabs = []
        for offered in policies:
            query = urlencode({"policy": offered.name})
            address = f"{here}?{query}" if offered.name else here
            tabs.append(Tab(offered.name, address, offered.name == asked))
        policy = next((offered for offered in policies if offered.name == asked), None)
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
    exact = duration(interval)
    if terms.reset_interval >= SECONDS_OF_A_MINUTE:
        # Without a thousands separator, as the company writes it: 1500 seconds.
        exact = ngettext(
            "%(interval)s (%(count)s second)",
            "%(interval)s (%(count)s seconds)",
            terms.reset_interval,
        ) % {"interval": exact, "count": terms.reset_interval}
    after_reset = rules.check(rules.reset(CounterState(), 0), terms, 0).pending_documents
    return {
        "exact_interval": exact,
        "interval": duration_after_preposition(interval),
        "tenth": duration(interval / rules.TENTHS),
        "recovery": terms.recovery.value,
        "levels": levels_of(terms.thresholds),
        "example": example_of(terms),
        "trickle": trickle_of(terms),
        "priority_after_reset": rules.priority_of(after_reset, terms.thresholds),
    }


# The nine levels: which counts have which priority.


class Level(NamedTuple):
    """The counts of one priority; priority 9 has no lowest count."""

    priority: int
    highest: int
    lowest: int | None

    @property
    def badge(self) -> SafeString:
        return badge(self.priority)

    @property
    def pending_documents(self) -> str:
        """`0 to −2`, `−21 or less`."""
        if self.highest < FLOOR:
            return _("not used: the counter stops at %(floor)s") % {"floor": numeral(FLOOR)}
        if self.lowest is None:
            return _("%(count)s or less") % {"count": numeral(self.highest)}
        return _range(self.highest, self.lowest)

    @property
    def documents(self) -> str:
        """The documents that get it, of many in one go; the first leaves the counter at 0."""
        if self.highest < FLOOR:
            return "–"
        if self.lowest is None:
            return _("%(count)s and later") % {"count": numeral(1 - self.highest)}
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


# An example; the rule itself computes the numbers.

START = (9 * 60 + 41) * 60 * SECOND
"""When the example begins, in microseconds of its first day."""

FLOODED = 7
"""The priority of the last of the example's many documents."""


class Step(NamedTuple):
    """The moment from which the counter has this value, if nothing else arrives."""

    moment: int
    pending_documents: int
    priority: int

    @property
    def time(self) -> str:
        """`from 09:43`"""
        return clock(self.moment, phrase=FROM)

    @property
    def shown_count(self) -> str:
        return numeral(self.pending_documents)

    @property
    def badge(self) -> SafeString:
        return badge(self.priority)


@dataclass(frozen=True, slots=True)
class Example:
    """Many documents in one go, how the counter recovers, and what one more document does."""

    terms: PolicyTerms
    documents: int
    flooded: CounterState
    later: int
    one_more: CounterState

    @property
    def sent(self) -> str:
        return ngettext(
            "At %(start)s, a customer who has sent nothing for more than %(interval)s sends "
            "%(documents)s document.",
            "At %(start)s, a customer who has sent nothing for more than %(interval)s sends "
            "%(documents)s documents in one go.",
            self.documents,
        ) % {
            "interval": duration(timedelta(seconds=self.terms.reset_interval)),
            "documents": numeral(self.documents),
            "start": time_of(START),
        }

    @property
    def counted(self) -> str:
        return _(
            "The first gets priority 1 (counter 0), "
            "the last gets priority %(priority)d (counter %(count)s)."
        ) % self._values(self.flooded)

    @property
    def steps(self) -> tuple[Step, ...]:
        """How the priority improves if nothing else arrives."""
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
            # Translators: `end` is "at 10:06", "at 10:06 the next day", "at 10:06, 2 days later".
            template = _("If nothing else arrives, the counter is back at 0 %(end)s.")
        elif self.terms.recovery == Recovery.WINDOW:
            template = _(
                "The counter is back at 0 and the priority at 1 %(end)s, "
                "even if more documents arrive before then."
            )
        else:
            template = _(
                "If nothing else arrives, the counter is back at 0 and the priority at 1 %(end)s."
            )
        return template % self._values(self.flooded)

    @property
    def goes_on(self) -> str:
        if self.terms.recovery == Recovery.WINDOW:
            # Translators: `later` and `end` are "at 10:06" or "at 10:06 the next day".
            template = _(
                "One more document %(later)s gets priority %(priority)d (counter %(count)s); "
                "the counter is still back at 0 %(end)s."
            )
        else:
            template = _(
                "But one more document %(later)s gets priority %(priority)d (counter %(count)s), "
                "and the counter is only back at 0 %(end)s if no other follows."
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
"""A hundred years in seconds. Nobody needs a warning about what takes longer."""


class Trickle(NamedTuple):
    """What `idle` does to a customer who never sends much and never pauses for an interval.

    Times are in whole seconds: the lowest thresholds need more time than a timedelta can hold.
    """

    gap: int
    takes: int
    priority: int

    @property
    def sentence(self) -> str:
        return _(
            "With this policy, a customer who sends one document every %(gap)s never gets back "
            "to 0. After %(takes)s the customer has priority %(priority)d and waits as long as a "
            "customer who sends thousands. If that is unfair, assign a policy with a different "
            "recovery."
        ) % {
            "gap": duration(timedelta(seconds=self.gap)),
            "priority": self.priority,
            "takes": duration_after_preposition(timedelta(seconds=self.takes)),
        }


def trickle_of(terms: PolicyTerms) -> Trickle | None:
    """Only for `idle`, and only if it takes less than a hundred years."""
    if terms.recovery != Recovery.IDLE:
        return None
    is_reached = terms.thresholds[-1] > FLOOR
    priority = WORST_PRIORITY if is_reached else WORST_PRIORITY - 1
    gap = _four_fifths(terms)
    takes = -_first_count(priority, terms) * gap
    return Trickle(gap, takes, priority) if takes <= LONGEST else None


def _first_count(priority: int, terms: PolicyTerms) -> int:
    """The highest count of this priority, from priority 2 on."""
    return terms.thresholds[priority - 2] - 1


def _four_fifths(terms: PolicyTerms) -> int:
    """In whole seconds: late in the interval, but within it."""
    return terms.reset_interval * 4 // 5


def time_of(moment: int) -> str:
    """The time of day: `09:41`, `09:43:30`, `09:43:30.5`."""
    minutes, tenths = divmod(moment * 10 // SECOND, 600)
    minutes %= 24 * 60
    time = f"{minutes // 60:02}:{minutes % 60:02}"
    if tenths % 10:
        time += f":{number_format(tenths / 10, 1).rjust(4, '0')}"
    elif tenths:
        time += f":{tenths // 10:02}"
    return time


FROM = npgettext_lazy("from a moment on", "from %(time)s", "from %(time)s", "hour")


def clock(moment: int, *, phrase: Any = AT.today) -> str:
    """`at 09:41`, `at 09:41 the next day`, `at 09:41, 2 days later`."""
    days, rest = divmod(moment, DAY)
    time = str(phrase % {"hour": rest // HOUR, "time": time_of(moment)})
    if not days:
        return time
    if days == 1:
        # Translators: `time` is "at 10:06" or "from 10:06".
        return _("%(time)s the next day") % {"time": time}
    # Translators: `time` is "at 10:06" or "from 10:06".
    template = ngettext("%(time)s, %(days)s day later", "%(time)s, %(days)s days later", days)
    return template % {"time": time, "days": numeral(days)}
