"""The usual way: lock the row, compute in Python, save."""

import time
from functools import partial

from django.db import connection, transaction

from benchmarks.counting import Operation
from doc_priority import rules
from doc_priority.conf import settings
from doc_priority.models import Counter
from doc_priority.types import PolicyTerms, from_microseconds

WRITTEN = ["pending_documents", "updated_at", "recovered_at"]


def lock_and_save(key: str) -> Operation:
    """The same work as a check: the counter under its customer's policy."""
    return partial(_count_with_policy, key)


def lock_and_save_leanest(key: str) -> Operation:
    """Less than a check does: the counter alone, under terms known beforehand."""
    return partial(_count, key, settings.default_policy.terms)


def _count_with_policy(key: str) -> int:
    # MariaDB cannot say which table to lock, and locks all three.
    of = ("self",) if connection.features.has_select_for_update_of else ()
    with transaction.atomic():
        counters = Counter.objects.select_for_update(of=of).select_related("customer__policy")
        counter = counters.get(customer_id=key)
        policy = counter.customer.policy
        return _save(counter, policy.terms if policy else settings.default_policy.terms)


def _count(key: str, terms: PolicyTerms) -> int:
    with transaction.atomic():
        return _save(Counter.objects.select_for_update().get(customer_id=key), terms)


def _save(counter: Counter, terms: PolicyTerms) -> int:
    after = rules.check(counter.state, terms, time.time_ns() // 1000)
    counter.pending_documents = after.pending_documents
    counter.updated_at = from_microseconds(after.updated_at or 0)
    counter.recovered_at = from_microseconds(after.recovered_at or 0)
    counter.save(update_fields=WRITTEN)
    return rules.priority_of(after.pending_documents, terms.thresholds)
