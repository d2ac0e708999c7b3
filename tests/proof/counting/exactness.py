"""What must have come of it, reckoned from the items alone."""

from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass

from doc_priority import rules
from doc_priority.conf import settings
from doc_priority.models import Counter, DocumentDecision
from tests.proof.counting.actions import Seen
from tests.proof.counting.items import Item


@dataclass(frozen=True)
class Exactness:
    """How far what was stored and answered is from what must have come of it."""

    lost: int
    twice: int
    wrong_answers: int
    wrong_decisions: int
    asked_again: float
    """The share of the calls that were refused at first, and not counted."""

    @property
    def is_perfect(self) -> bool:
        return not (self.lost or self.twice or self.wrong_answers or self.wrong_decisions)

    def __str__(self) -> str:
        return (
            f"{self.lost} lost, {self.twice} twice, {self.wrong_answers} wrong answers, "
            f"{self.wrong_decisions} wrong decisions, {self.asked_again:.3%} asked again"
        )


def exactness(wanted: Sequence[Item], seen: Sequence[Seen]) -> Exactness:
    expected = Tally(item.customer for item in wanted)
    stored = dict(
        Counter.objects.filter(customer_id__in=expected).values_list(
            "customer_id", "pending_documents"
        )
    )
    # A customer's first check leaves its counter at 0.
    off = [expected[key] - (1 - stored[key]) for key in expected]
    return Exactness(
        lost=sum(max(difference, 0) for difference in off),
        twice=sum(max(-difference, 0) for difference in off),
        wrong_answers=_wrong_answers(wanted, seen, expected),
        wrong_decisions=_wrong_decisions(wanted, seen),
        asked_again=sum(one.refused > 0 for one in seen) / len(seen),
    )


def _wrong_answers(wanted: Sequence[Item], seen: Sequence[Seen], expected: Tally[str]) -> int:
    """Counts that nobody or more than one was told, and priorities that do not follow."""
    told = Tally((one.customer, one.pending_documents) for one in seen if not one.repeated)
    due = {(key, -place) for key, times in expected.items() for place in range(times)}
    thresholds = settings.default_policy.terms.thresholds
    priorities = {count: rules.priority_of(count, thresholds) for _, count in told}
    return (
        len(due - told.keys())
        + sum(times - 1 for times in told.values())
        + sum(one.priority != priorities.get(one.pending_documents) for one in seen)
        + abs(len(seen) - len(wanted) - sum(1 for item in wanted if item.document))
    )


def _wrong_decisions(wanted: Sequence[Item], seen: Sequence[Seen]) -> int:
    """Documents with another decision than both who named them were told."""
    told: dict[Item, set[int]] = {}
    for one in seen:
        if one.document:
            told.setdefault(Item(one.customer, one.document), set()).add(one.pending_documents)
    customers = {item.customer for item in wanted}
    kept = {
        Item(row.customer_id, row.document): {row.pending_documents}
        for row in DocumentDecision.objects.filter(customer_id__in=customers)
    }
    named = {item for item in wanted if item.document}
    return sum(told.get(item) != kept.get(item) for item in named | kept.keys())
