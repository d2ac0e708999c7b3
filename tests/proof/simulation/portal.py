"""A portal's customers as plain dicts: what is kept of them, and what there is to see."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.proof.simulation import reckoning
from tests.proof.simulation.operations import START, Answer
from tests.proof.simulation.reckoning import Counter, Terms

SETTINGS: dict[str, Any] = {
    "RESET_INTERVAL": 1500,
    "RECOVERY": "idle",
    "THRESHOLDS": (-2, -4, -6, -8, -10, -12, -14, -20),
    "CREATE_CUSTOMERS": True,
    "DOCUMENT_RETENTION_DAYS": 30,
    "EVENT_RETENTION_DAYS": 730,
}
"""What holds where the portal sets nothing."""
UNTOUCHED = Counter()


class Happening(NamedTuple):
    """An event: of a customer, or of a policy and everyone who has it."""

    customer: str
    kind: str
    actor: str
    reason: str
    source: str
    created_at: int
    before: tuple[Any, Any]
    after: tuple[Any, Any]


@dataclass
class Customer:
    policy: str | None = None
    counter: Counter = UNTOUCHED
    decisions: dict[str, Answer] = field(default_factory=dict)


class Portal:
    """Where everybody stands."""

    def __init__(self) -> None:
        self.now = START
        self.values = SETTINGS
        self.customers: dict[str, Customer] = {}
        self.policies: dict[str, Terms] = {}
        self.events: list[Happening] = []

    @property
    def default_terms(self) -> Terms:
        values = self.values
        return Terms(values["RESET_INTERVAL"], values["RECOVERY"], tuple(values["THRESHOLDS"]))

    def terms_of(self, customer: Customer) -> Terms:
        return self.policies[customer.policy] if customer.policy else self.default_terms

    def at(self, moment: int | None) -> int:
        return self.now if moment is None else moment

    def standing(self, key: str, clock: int) -> Answer:
        one = self.customers[key]
        terms, counter = self.terms_of(one), one.counter
        count = reckoning.looked_at(counter, terms, clock)
        counting = reckoning.is_counting(counter, terms, clock)
        return Answer(
            customer=key,
            document="",
            pending_documents=count,
            priority=counter.pin[0]
            if counter.pin and counter.is_pinned(clock)
            else reckoning.priority(count, terms),
            pinned=counter.is_pinned(clock),
            reset=False,
            repeated=False,
            decided_at=counter.moment(clock),
            resets_at=reckoning.back_at_zero(counter, terms) if counting else None,
            policy=terms.name,
        )

    def record(
        self,
        kind: str,
        customer: str,
        author: dict[str, str],
        clock: int,
        before: Answer | None = None,
        after: Answer | None = None,
    ) -> None:
        words = (author.get(name, "") for name in ("actor", "reason", "source"))
        self.events.append(Happening(customer, kind, *words, clock, _told(before), _told(after)))

    def live(self, at: int | None = None) -> list[tuple[Any, ...]]:
        return [self._row(key, self.at(at)) for key in sorted(self.customers)]

    def overview(self, at: int | None = None) -> tuple[dict[int, int], int, int]:
        rows = self.live(at)
        at_priority = [row[2] for row in rows]
        tally = {number: at_priority.count(number) for number in range(1, 10)}
        pinned = sum(row[4] for row in rows)
        return tally, sum(row[3] and not row[4] for row in rows), pinned

    def counters(self) -> list[tuple[Any, ...]]:
        """A counter that was never touched is as good as none."""
        return [
            (key, one.counter.count, one.counter.updated, one.counter.recovered, one.counter.pin)
            for key, one in sorted(self.customers.items())
            if one.counter != UNTOUCHED
        ]

    def stored(self) -> dict[str, list[Any]]:
        """All but the counters."""
        decisions = [answer for one in self.customers.values() for answer in one.decisions.values()]
        return {
            "customers": [(key, one.policy) for key, one in sorted(self.customers.items())],
            "policies": sorted(self.policies.values(), key=lambda terms: terms.name),
            "decisions": sorted(decisions, key=lambda answer: answer[:2]),
            "events": list(self.events),
        }

    def _row(self, key: str, clock: int) -> tuple[Any, ...]:
        one, answer = self.customers[key], self.standing(key, clock)
        return (
            key,
            answer.pending_documents,
            answer.priority,
            reckoning.is_counting(one.counter, self.terms_of(one), clock),
            answer.pinned,
            one.counter.pin[1] if one.counter.pin and answer.pinned else None,
            one.counter.updated,
            answer.resets_at,
        )


def _told(answer: Answer | None) -> tuple[Any, Any]:
    return (None, None) if answer is None else (answer.pending_documents, answer.priority)
