"""Why a customer stands where it stands: sentences for people, and the numbers in them."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority import rules
from doc_priority.conf import settings
from doc_priority.models import Customer
from doc_priority.types import BEST_PRIORITY, PolicyTerms, Recovery, from_microseconds

MINUS = "−"
"""The minus sign of print: screen readers pass over a hyphen."""

Shown = Callable[[datetime], str]


def numeral(number: int) -> str:
    """`−1,234,567`: grouped as in the active language, whether or not the portal groups numbers."""
    return number_format(number, force_grouping=True).replace("-", MINUS)


def explain(customer: Customer, *, shown: Shown) -> str:
    """Why this row of the live list has its priority, and when it gets better.

    In the active language; `shown` puts an aware datetime into words. A row that was read with its
    counter and its policy (`select_related`) needs no query.
    """
    row: Any = customer
    policy = customer.policy.named_terms if customer.policy else settings.default_policy
    sentences = []
    if row.pinned and row.pinned_until is None:
        sentences.append(
            _(
                "%(customer)s is pinned to priority %(priority)d without an end. "
                "The counter alone would say:"
            )
            % {"customer": row, "priority": row.priority}
        )
    elif row.pinned:
        sentences.append(
            _(
                "%(customer)s is pinned to priority %(priority)d until %(until)s. "
                "The counter alone would say:"
            )
            % {"customer": row, "priority": row.priority, "until": shown(row.pinned_until)}
        )
    sentences += _of_the_counter(row, policy.terms, shown)
    if policy.name:
        sentences.append(_("The policy “%(policy)s” applies.") % {"policy": policy.name})
    return " ".join(sentences)


def _of_the_counter(row: Any, terms: PolicyTerms, shown: Shown) -> Iterator[str]:
    if row.updated_at is None:
        yield _("%(customer)s stands at priority 1: no document has been counted yet.") % {
            "customer": row
        }
    elif not row.counting:
        yield _(
            "%(customer)s stands at priority 1: no document has been counted since %(since)s, "
            "and the counter is back at 0."
        ) % {"customer": row, "since": shown(row.updated_at)}
    elif row.pending_documents == 0:
        yield _(
            "%(customer)s stands at priority 1: the counter started at 0 at %(since)s, "
            "and no document has been counted since."
        ) % {"customer": row, "since": shown(row.updated_at)}
    else:
        values = {
            "customer": row,
            "documents": -row.pending_documents,
            "count": numeral(-row.pending_documents),
            "priority": rules.priority_of(row.pending_documents, terms.thresholds),
        }
        if terms.recovery == Recovery.HALVING:
            yield from _while_it_halves(row, terms, shown, values)
        else:
            values |= {"since": shown(row.counter.recovered_at), "end": shown(row.resets_at)}
            yield from _until_the_interval_ends(terms, values)


def _until_the_interval_ends(terms: PolicyTerms, values: dict[str, Any]) -> Iterator[str]:
    is_best = values["priority"] == BEST_PRIORITY
    if is_best:
        template = ngettext(
            "%(count)s document since %(since)s leaves %(customer)s at priority 1.",
            "%(count)s documents since %(since)s leave %(customer)s at priority 1.",
            values["documents"],
        )
    else:
        template = ngettext(
            "%(count)s document since %(since)s brings %(customer)s from 1 to %(priority)d.",
            "%(count)s documents since %(since)s bring %(customer)s from 1 to %(priority)d.",
            values["documents"],
        )
    yield template % values
    if terms.recovery != Recovery.WINDOW:
        yield _without_a_new_document(values)
    elif is_best:
        yield (
            _("The counter is back at 0 at %(end)s, even if new documents come before then.")
            % values
        )
    else:
        yield _("It is back at 1 at %(end)s, even if new documents come before then.") % values


def _while_it_halves(
    row: Any, terms: PolicyTerms, shown: Shown, values: dict[str, Any]
) -> Iterator[str]:
    if values["priority"] == BEST_PRIORITY:
        template = ngettext(
            "%(count)s pending document leaves %(customer)s at priority 1.",
            "%(count)s pending documents leave %(customer)s at priority 1.",
            values["documents"],
        )
    else:
        template = ngettext(
            "%(count)s pending document brings %(customer)s from 1 to %(priority)d.",
            "%(count)s pending documents bring %(customer)s from 1 to %(priority)d.",
            values["documents"],
        )
    yield template % values
    yield _("The count halves with every tenth of the interval.")

    # The rule tells every step since the last update; those to come lead below this priority.
    state = row.counter.state
    now, improvements = state.updated_at, []
    while (last := rules.improves_at(state, terms, now)) is not None:
        now = last + 1
        pending_documents = rules.peek(state, terms, now).pending_documents
        better = rules.priority_of(pending_documents, terms.thresholds)
        if better < values["priority"]:
            improvements.append((better, from_microseconds(last)))
    if len(improvements) > 1:
        priority, moment = improvements[0]
        yield _(
            "Without a new document it improves to %(priority)d at %(next)s "
            "and is back at 1 at %(end)s."
        ) % {"priority": priority, "next": shown(moment), "end": shown(improvements[-1][1])}
    else:
        end = improvements[0][1] if improvements else row.resets_at
        yield _without_a_new_document(values | {"end": shown(end)})


def _without_a_new_document(values: dict[str, Any]) -> str:
    if values["priority"] == BEST_PRIORITY:
        return _("Without a new document the counter is back at 0 at %(end)s.") % values
    return _("Without a new document it is back at 1 at %(end)s.") % values
