"""A connection that breaks around COMMIT: the caller repeats the check, and it counts once."""

from functools import partial

import pytest

from doc_priority.models import Counter, DocumentDecision
from tests.concurrency.cutting import (
    Check,
    check,
    check_many,
    committing,
    cut_and_repeat,
    cutting_proxy,
)
from tests.concurrency.proxy import Fate, cut_meanwhile, never_sent, reply_lost

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True, available_apps=["doc_priority"]),
    pytest.mark.mariadb,
    pytest.mark.postgresql,
]

CUTS = {check: 60, check_many: 20}
"""`make proof` cuts a thousand times."""


@pytest.mark.parametrize("way", CUTS)
@pytest.mark.parametrize(
    ("fate", "repeated"),
    [(never_sent, {False}), (reply_lost, {True}), (cut_meanwhile, {False, True})],
)
def test_a_check_that_was_cut_and_repeated_counts_once(
    way: Check, fate: Fate, repeated: set[bool]
) -> None:
    cuts = CUTS[way]
    with cutting_proxy(committing(way)) as proxy:
        decisions = [
            cut_and_repeat(partial(way, "acme", f"D-{number}"), proxy, fate)
            for number in range(cuts)
        ]
    assert {decision.repeated for decision in decisions} <= repeated
    assert [-decision.pending_documents for decision in decisions] == list(range(cuts))
    assert Counter.objects.get().pending_documents == 1 - cuts
    kept = DocumentDecision.objects.order_by("-pending_documents")
    assert list(kept.values_list("document", "pending_documents")) == [
        (decision.document, decision.pending_documents) for decision in decisions
    ]
