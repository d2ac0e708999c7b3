"""Why a customer has its priority: sentences for people, and the numbers in them."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority import rules
from doc_priority.conf import settings
from doc_priority.formats import AT, SINCE, UNTIL, Shown, duration
from doc_priority.models import Customer
from doc_priority.types import BEST_PRIORITY, PolicyTerms, Recovery, from_microseconds


def numeral(number: int) -> str:
    """`−1,234,567`: grouped as in the active language, whether or not the portal groups numbers."""
    # The minus sign of print, because screen readers do not read out a hyphen.
    return number_format(number, force_grouping=True).replace("-", "−")


def explain(customer: Customer, *, shown: Shown | None = None) -> str:
    """Why this row of the live list has its priority, and when the priority gets better.

    In the active language. Moments are in the current time zone, with the date unless it is today;
    `shown` writes an aware datetime in another way. A row that was read with its counter and its
    policy (`select_related`) needs no query.
    """
    row: Any = customer
    policy = customer.policy.named_terms if customer.policy else settings.default_policy
    sentences = []
    if row.pinned and row.pinned_until is None:
        sentences.append(
            _("%(customer)s is pinned to priority %(priority)d without an end. Without the pin:")
            % {"customer": row, "priority": row.priority}
        )
    elif row.pinned:
        sentences.append(
            # Translators: `until` is "until 20:00" or "until Nov. 18, 2026, 20:00".
            _("%(customer)s is pinned to priority %(priority)d %(until)s. Without the pin:")
            % {
                "customer": row,
                "priority": row.priority,
                "until": UNTIL.of(row.pinned_until, shown),
            }
        )
    sentences += _of_the_counter(row, policy.terms, shown)
    if policy.name:
        sentences.append(_("Policy: “%(policy)s”.") % {"policy": policy.name})
    return " ".join(sentences)


def _of_the_counter(row: Any, terms: PolicyTerms, shown: Shown | None) -> Iterator[str]:
    if row.updated_at is None:
        yield _("%(customer)s has priority 1: no document has been counted yet.") % {
            "customer": row
        }
    elif not row.counting:
        # Translators: `since` is "since 18:24" or "since Nov. 18, 2026, 18:24".
        yield _(
            "%(customer)s has priority 1: nothing sent %(since)s, and the counter is back at 0."
        ) % {"customer": row, "since": SINCE.of(row.updated_at, shown)}
    elif row.pending_documents == 0:
        # Translators: `at` is "at 18:47" or "on Nov. 18, 2026 at 18:47".
        yield _(
            "%(customer)s has priority 1: the counter was at 0 %(at)s, nothing counted since."
        ) % {"customer": row, "at": AT.of(row.updated_at, shown)}
    else:
        priority = rules.priority_of(row.pending_documents, terms.thresholds)
        if terms.recovery == Recovery.HALVING:
            yield from _while_it_halves(row, terms, priority, shown)
        else:
            yield from _until_the_interval_ends(row, terms, priority, shown)


def _until_the_interval_ends(
    row: Any, terms: PolicyTerms, priority: int, shown: Shown | None
) -> Iterator[str]:
    documents = -row.pending_documents
    is_best = priority == BEST_PRIORITY
    if is_best:
        template = ngettext(
            "%(count)s document %(since)s: %(customer)s stays at priority 1.",
            "%(count)s documents %(since)s: %(customer)s stays at priority 1.",
            documents,
        )
    else:
        template = ngettext(
            "%(count)s document %(since)s moved %(customer)s from priority 1 to %(priority)d.",
            "%(count)s documents %(since)s moved %(customer)s from priority 1 to %(priority)d.",
            documents,
        )
    yield template % {
        "count": numeral(documents),
        "since": SINCE.of(row.counter.recovered_at, shown),
        "customer": row,
        "priority": priority,
    }
    end = AT.of(row.resets_at, shown)
    if terms.recovery != Recovery.WINDOW:
        yield _if_nothing_arrives(priority, end)
    elif is_best:
        yield (
            _("The counter is back at 0 %(end)s, even if more documents arrive before then.")
            % {"end": end}
        )
    else:
        yield (
            _("The priority is back at 1 %(end)s, even if more documents arrive before then.")
            % {"end": end}
        )


def _while_it_halves(
    row: Any, terms: PolicyTerms, priority: int, shown: Shown | None
) -> Iterator[str]:
    yield _("The counter is at %(count)s, so %(customer)s has priority %(priority)d.") % {
        "count": numeral(row.pending_documents),
        "customer": row,
        "priority": priority,
    }
    tenth = timedelta(seconds=terms.reset_interval) / rules.TENTHS
    yield _("The counter recovers by half every %(tenth)s.") % {"tenth": duration(tenth)}

    # The rule gives every step since the last update; the steps still to come are
    # those to a better priority than now.
    state = row.counter.state
    now, improvements = state.updated_at, []
    while (last := rules.improves_at(state, terms, now)) is not None:
        now = last + 1
        pending_documents = rules.peek(state, terms, now).pending_documents
        better = rules.priority_of(pending_documents, terms.thresholds)
        if better < priority:
            improvements.append((better, from_microseconds(last)))
    if len(improvements) > 1:
        next_priority, moment = improvements[0]
        # Translators: `next` and `end` are "at 18:58" or "on Nov. 18, 2026 at 18:58".
        yield _(
            "If nothing new arrives, the priority is %(priority)d %(next)s and 1 again %(end)s."
        ) % {
            "priority": next_priority,
            "next": AT.of(moment, shown),
            "end": AT.of(improvements[-1][1], shown),
        }
    else:
        end = improvements[0][1] if improvements else row.resets_at
        yield _if_nothing_arrives(priority, AT.of(end, shown))


def _if_nothing_arrives(priority: int, end: str) -> str:
    if priority == BEST_PRIORITY:
        template = _("If nothing new arrives, the counter is back at 0 %(end)s.")
    else:
        template = _("If nothing new arrives, the priority is back at 1 %(end)s.")
    return template % {"end": end}
