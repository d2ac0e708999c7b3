"""How priorities work: the rule in words for people, policy by policy."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.forms import Media
from django.http import HttpRequest, HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, npgettext_lazy

from doc_priority import rules
from doc_priority.admin.base import Page, address_of, rendered
from doc_priority.admin.formatting import badge
from doc_priority.conf import settings
from doc_priority.explanations import numeral
from doc_priority.formats import AT, duration, duration_after_preposition
from doc_priority.models import Policy
from doc_priority.types import (
    BEST_PRIORITY,
    EPOCH,
    FLOOR,
    SECOND,
    WORST_PRIORITY,
    CounterState,
    PolicyTerms,
    Recovery,
    from_microseconds,
)


class RulePage(Page):
    """The rule with the policy that the address names, and a tab for each policy."""

    route = "how-priorities-work/"
    name = "doc_priority_rule"

    def is_permitted(self, request: HttpRequest) -> bool:
        return (
            super().is_permitted(request)
            or request.user.has_perm("doc_priority.view_policy")
            or request.user.has_perm("doc_priority.change_policy")
        )

    def respond(self, request: HttpRequest, **arguments: Any) -> HttpResponse:
        asked = request.GET.get("policy", "")
        policies = {"": settings.default_policy.terms}
        policies |= {policy.name: policy.terms for policy in Policy.objects.primary()}
        terms = policies.get(asked)
        here = address_of(self.site.name, self.name)
        return rendered(
            request,
            self.site,
            "rule",
            title=_("How priorities work"),
            status=HTTPStatus.NOT_FOUND if terms is None else HTTPStatus.OK,
            media=Media(css={"all": ["doc_priority/policy.css"]}),
            tabs=[
                {
                    "name": name,
                    "address": f"{here}?{urlencode({'policy': name})}" if name else here,
                    "is_current": name == asked,
                }
                for name in policies
            ],
            asked=asked,
            **({} if terms is None else _explained(terms)),
        )


def _explained(terms: PolicyTerms) -> dict[str, Any]:
    interval = timedelta(seconds=terms.reset_interval)
    exact = duration(interval)
    if terms.reset_interval >= 60:
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


def levels_of(thresholds: Sequence[int]) -> list[dict[str, str]]:
    """What `policy_table.html` shows: the counts of each priority, and the documents in one go.

    The first of these documents leaves the counter at 0.
    """
    levels = []
    highest = 0
    for priority, lowest in enumerate([*thresholds, None], start=BEST_PRIORITY):
        if highest < FLOOR:
            counts = _("not used: the counter stops at %(floor)s") % {"floor": numeral(FLOOR)}
            documents = "–"
        elif lowest is None:
            counts = _("%(count)s or less") % {"count": numeral(highest)}
            documents = _("%(count)s and later") % {"count": numeral(1 - highest)}
        else:
            counts = _range(highest, lowest)
            documents = _range(1 - highest, 1 - lowest)
            highest = lowest - 1
        levels.append(
            {"badge": badge(priority), "pending_documents": counts, "documents": documents}
        )
    return levels


def _range(first: int, last: int) -> str:
    if first == last:
        return numeral(first)
    return _("%(first)s to %(last)s") % {"first": numeral(first), "last": numeral(last)}


# An example; the rule itself computes the numbers.

START = (9 * 60 + 41) * 60 * SECOND
"""When the example begins, in microseconds of its first day."""

FLOODED = 7
"""The priority of the last of the example's many documents."""


def example_of(terms: PolicyTerms) -> dict[str, Any]:
    """Many documents in one go, how the counter recovers, and what one more document does."""

    def numbers_of(state: CounterState) -> dict[str, str | int]:
        return {
            "count": numeral(state.pending_documents),
            "priority": rules.priority_of(state.pending_documents, terms.thresholds),
            "end": clock(rules.resets_at(state, terms) or START),
        }

    documents = 1 - _first_count(FLOODED, terms)
    flooded = rules.check(CounterState(), terms, START, documents=documents)
    sent = ngettext(
        "At %(start)s, a customer who has sent nothing for more than %(interval)s sends "
        "%(documents)s document.",
        "At %(start)s, a customer who has sent nothing for more than %(interval)s sends "
        "%(documents)s documents in one go.",
        documents,
    )
    counted = _(
        "The first gets priority 1 (counter 0), "
        "the last gets priority %(priority)d (counter %(count)s)."
    )
    if terms.recovery == Recovery.WINDOW:
        recovers = _(
            "The counter is back at 0 and the priority at 1 %(end)s, "
            "even if more documents arrive before then."
        )
        # Translators: `later` and `end` are "at 10:06" or "at 10:06 the next day".
        goes_on = _(
            "One more document %(later)s gets priority %(priority)d (counter %(count)s); "
            "the counter is still back at 0 %(end)s."
        )
    else:
        recovers = _(
            "If nothing else arrives, the counter is back at 0 and the priority at 1 %(end)s."
        )
        goes_on = _(
            "But one more document %(later)s gets priority %(priority)d (counter %(count)s), "
            "and the counter is only back at 0 %(end)s if no other follows."
        )
    if terms.recovery == Recovery.HALVING:
        # Translators: `end` is "at 10:06", "at 10:06 the next day", "at 10:06, 2 days later".
        recovers = _("If nothing else arrives, the counter is back at 0 %(end)s.")
    later = START + _four_fifths(terms) * SECOND
    return {
        "sent": sent
        % {
            "interval": duration(timedelta(seconds=terms.reset_interval)),
            "documents": numeral(documents),
            "start": time_of(START),
        },
        "counted": counted % numbers_of(flooded),
        "steps": [
            {
                "time": clock(moment, phrase=FROM),
                "count": numeral(count),
                "badge": badge(rules.priority_of(count, terms.thresholds)),
            }
            for moment, count in steps_of(flooded, terms)
        ],
        "recovers": recovers % numbers_of(flooded),
        "goes_on": goes_on
        % {**numbers_of(rules.check(flooded, terms, later)), "later": clock(later)},
    }


def steps_of(flooded: CounterState, terms: PolicyTerms) -> Iterator[tuple[int, int]]:
    """The moments at which the priority improves if nothing else arrives, and the counts then."""
    now = START
    while (moment := rules.improves_at(flooded, terms, now)) is not None:
        now = moment + 1
        yield moment, rules.peek(flooded, terms, now).pending_documents


LONGEST = 36_500 * 24 * 60 * 60
"""A hundred years in seconds. Nobody needs a warning about what takes longer."""


def trickle_of(terms: PolicyTerms) -> str:
    """What `idle` does to a customer who never sends much and never pauses for an interval.

    Empty for other recoveries, and if it takes longer than a hundred years: the lowest thresholds
    need more time than a timedelta can hold.
    """
    if terms.recovery != Recovery.IDLE:
        return ""
    is_reached = terms.thresholds[-1] > FLOOR
    priority = WORST_PRIORITY if is_reached else WORST_PRIORITY - 1
    gap = _four_fifths(terms)
    takes = -_first_count(priority, terms) * gap
    if takes > LONGEST:
        return ""
    return _(
        "With this policy, a customer who sends one document every %(gap)s never gets back "
        "to 0. After %(takes)s the customer has priority %(priority)d and waits as long as a "
        "customer who sends thousands. If that is unfair, assign a policy with a different "
        "recovery."
    ) % {
        "gap": duration(timedelta(seconds=gap)),
        "priority": priority,
        "takes": duration_after_preposition(timedelta(seconds=takes)),
    }


def _first_count(priority: int, terms: PolicyTerms) -> int:
    """The highest count of this priority, from priority 2 on."""
    return terms.thresholds[priority - 2] - 1


def _four_fifths(terms: PolicyTerms) -> int:
    """In whole seconds: late in the interval, but within it."""
    return terms.reset_interval * 4 // 5


def time_of(moment: int) -> str:
    """The time of day: `09:41`, `09:43:30`, `09:43:30.5`."""
    exact = from_microseconds(moment)
    time = f"{exact:%H:%M}"
    tenths = exact.microsecond // 100_000
    if tenths:
        time += f":{number_format(exact.second + tenths / 10, 1).rjust(4, '0')}"
    elif exact.second:
        time += f":{exact:%S}"
    return time


FROM = npgettext_lazy("from a moment on", "from %(time)s", "from %(time)s", "hour")


def clock(moment: int, *, phrase: Any = AT.today) -> str:
    """`at 09:41`, `at 09:41 the next day`, `at 09:41, 2 days later`."""
    exact = from_microseconds(moment)
    time = str(phrase % {"hour": exact.hour, "time": time_of(moment)})
    days = (exact - EPOCH).days
    if not days:
        return time
    if days == 1:
        # Translators: `time` is "at 10:06" or "from 10:06".
        return _("%(time)s the next day") % {"time": time}
    # Translators: `time` is "at 10:06" or "from 10:06".
    template = ngettext("%(time)s, %(days)s day later", "%(time)s, %(days)s days later", days)
    return template % {"time": time, "days": numeral(days)}
