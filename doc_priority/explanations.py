"""Why a customer stands where it stands, in a few sentences."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority import rules
from doc_priority.conf import settings
from doc_priority.models import Customer
from doc_priority.numerals import numeral
from doc_priority.types import BEST_PRIORITY, PolicyTerms, Recovery, from_microseconds

Shown = Callable[[datetime], str]


class _Step(NamedTuple):
    moment: datetime
    priority: int


def explain(customer: Customer, *, shown: Shown) -> str:
    """Why this row of the live list has its priority, and when it gets better.

    In the active language; `shown` puts an aware datetime into words. A row that was read with its
    counter and its policy (`select_related`) needs no query.
    """
    policy = customer.policy.named_terms if customer.policy else settings.default_policy
    sentences = [
        *_of_the_pin(customer, shown),
        *_of_the_counter(customer, policy.terms, shown),
        *_of_the_policy(policy.name),
    ]
    return " ".join(sentences)


def _of_the_pin(row: Any, shown: Shown) -> Iterator[str]:
    if not row.pinned:
        return
    values = {"customer": row, "priority": row.priority}
    if row.pinned_until is None:
        yield (
            _(
                "%(customer)s is pinned to priority %(priority)d without an end. "
                "The counter alone would say:"
            )
            % values
        )
    else:
        yield _(
            "%(customer)s is pinned to priority %(priority)d until %(until)s. "
            "The counter alone would say:"
        ) % (values | {"until": shown(row.pinned_until)})


def _of_the_policy(name: str) -> Iterator[str]:
    if name:
        yield _("The policy “%(policy)s” applies.") % {"policy": name}


def _of_the_counter(row: Any, terms: PolicyTerms, shown: Shown) -> Iterator[str]:
    if row.updated_at is None:
        yield _never(row)
    elif not row.counting:
        yield _idle(row, shown)
    elif row.pending_documents == 0:
        yield _started(row, shown)
    elif terms.recovery == Recovery.HALVING:
        yield from _halving(row, terms, shown)
    else:
        yield from _counting(row, terms, shown)


def _never(row: Any) -> str:
    return _("%(customer)s stands at priority 1: no document has been counted yet.") % {
        "customer": row
    }


def _idle(row: Any, shown: Shown) -> str:
    return _(
        "%(customer)s stands at priority 1: no document has been counted since %(since)s, "
        "and the counter is back at 0."
    ) % {"customer": row, "since": shown(row.updated_at)}


def _started(row: Any, shown: Shown) -> str:
    return _(
        "%(customer)s stands at priority 1: the counter started at 0 at %(since)s, "
        "and no document has been counted since."
    ) % {"customer": row, "since": shown(row.updated_at)}


def _counting(row: Any, terms: PolicyTerms, shown: Shown) -> Iterator[str]:
    values = {
        **_standing(row, terms),
        "since": shown(row.counter.recovered_at),
        "end": shown(row.resets_at),
    }
    yield _documents_since(values)
    if terms.recovery == Recovery.WINDOW:
        yield _back_in_any_case(values)
    else:
        yield _back_without_a_document(values)


def _halving(row: Any, terms: PolicyTerms, shown: Shown) -> Iterator[str]:
    values = _standing(row, terms)
    yield _pending_documents(values)
    yield _("The count halves with every tenth of the interval.")
    steps = list(_steps(row, terms, values["priority"]))
    if len(steps) > 1:
        yield _step_by_step(steps, shown)
    else:
        end = steps[0].moment if steps else row.resets_at
        yield _back_without_a_document(values | {"end": shown(end)})


def _standing(row: Any, terms: PolicyTerms) -> dict[str, Any]:
    return {
        "customer": row,
        "documents": -row.pending_documents,
        "count": numeral(-row.pending_documents),
        "priority": rules.priority_of(row.pending_documents, terms.thresholds),
    }


def _steps(row: Any, terms: PolicyTerms, priority: int) -> Iterator[_Step]:
    """How the priority gets better from here if nothing more comes.

    The rule tells every step since the last update; those still to come lead below this priority.
    """
    state = row.counter.state
    now = state.updated_at
    while (moment := rules.improves_at(state, terms, now)) is not None:
        now = moment + 1
        pending_documents = rules.peek(state, terms, now).pending_documents
        better = rules.priority_of(pending_documents, terms.thresholds)
        if better < priority:
            yield _Step(from_microseconds(moment), better)


def _step_by_step(steps: Sequence[_Step], shown: Shown) -> str:
    return _(
        "Without a new document it improves to %(priority)d at %(next)s "
        "and is back at 1 at %(end)s."
    ) % {
        "priority": steps[0].priority,
        "next": shown(steps[0].moment),
        "end": shown(steps[-1].moment),
    }


def _documents_since(values: dict[str, Any]) -> str:
    if values["priority"] == BEST_PRIORITY:
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
    return template % values


def _pending_documents(values: dict[str, Any]) -> str:
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
    return template % values


def _back_without_a_document(values: dict[str, Any]) -> str:
    if values["priority"] == BEST_PRIORITY:
        return _("Without a new document the counter is back at 0 at %(end)s.") % values
    return _("Without a new document it is back at 1 at %(end)s.") % values


def _back_in_any_case(values: dict[str, Any]) -> str:
    if values["priority"] == BEST_PRIORITY:
        return (
            _("The counter is back at 0 at %(end)s, even if new documents come before then.")
            % values
        )
    return _("It is back at 1 at %(end)s, even if new documents come before then.") % values
