"""What the services promise, done to the dicts of a portal.

Written from the description of the rule and of the services alone. It imports nothing of the code
under test; its methods bear the names of the services and take what they take, times in
microseconds. What it refuses it names.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.proof.simulation import reckoning
from tests.proof.simulation.operations import Answer, Operation, Refused
from tests.proof.simulation.portal import SETTINGS, Customer, Portal
from tests.proof.simulation.reckoning import Counter, Terms

Item = str | tuple[str, str]

DAY = 24 * 60 * 60 * 10**6
UNKNOWN_CUSTOMER = Refused.by("CustomerNotFound")
UNKNOWN_POLICY = Refused.by("PolicyNotFound")


class Model(Portal):
    """A portal and its services."""

    def perform(self, operation: Operation) -> Any:
        method: Callable[..., Any] = getattr(self, operation.name)
        return method(**operation.arguments)

    # The world around.

    def clock(self, to: int) -> None:
        self.now = to

    def settings(self, **values: Any) -> None:
        self.values = SETTINGS | values

    def put(self, customer: str, count: int, at: int) -> None:
        """The portal's own tests and imports set counters."""
        one = self.customers.setdefault(customer, Customer())
        one.counter = Counter(count, at, at)

    # Counting.

    def check(
        self, customer: str, document: str = "", at: int | None = None, must_exist: bool = False
    ) -> Answer | Refused:
        answers = self.check_many([(customer, document)], at, must_exist)
        return answers if isinstance(answers, Refused) else answers[0]

    def check_many(
        self, items: list[Item], at: int | None = None, must_exist: bool = False
    ) -> list[Answer] | Refused:
        pairs = [(item, "") if isinstance(item, str) else item for item in items]
        new = {key for key, _ in pairs} - self.customers.keys()
        if new and (must_exist or not self.values["CREATE_CUSTOMERS"]):
            return UNKNOWN_CUSTOMER
        return [self._count(key, document, self.at(at)) for key, document in pairs]

    def peek(self, customer: str, at: int | None = None) -> Answer | Refused:
        if customer not in self.customers:
            return UNKNOWN_CUSTOMER
        return self.standing(customer, self.at(at))

    def _count(self, key: str, document: str, clock: int) -> Answer:
        one = self.customers.setdefault(key, Customer())
        if document in one.decisions:
            return one.decisions[document]._replace(repeated=True)
        terms = self.terms_of(one)
        late = reckoning.is_over(one.counter, terms, clock) and one.counter.updated is not None
        one.counter = reckoning.checked(one.counter, terms, clock)
        answer = self.standing(key, clock)._replace(
            document=document,
            reset=late,
            resets_at=reckoning.back_at_zero(one.counter, terms),
        )
        if document:
            one.decisions[document] = answer
        return answer

    # Putting right by hand.

    def reset(self, customer: str, at: int | None = None, **author: str) -> Answer | Refused:
        return _only(self.reset_many([customer], at, **author))

    def reset_many(
        self, customers: list[str], at: int | None = None, **author: str
    ) -> list[Answer] | Refused:
        clock = self.at(at)
        return self._correct(
            "reset", customers, clock, author, lambda one: reckoning.put_back(one, clock)
        )

    def pin(self, customer: str, priority: int, until: int, **author: str) -> Answer | Refused:
        return _only(self.pin_many([customer], priority, until, **author))

    def pin_many(
        self, customers: list[str], priority: int, until: int, **author: str
    ) -> list[Answer] | Refused:
        if until <= self.now and customers:
            unknown = set(customers) - self.customers.keys()
            return Refused.by("InvalidPin", *(["CustomerNotFound"] if unknown else []))
        held = (priority, until)
        return self._correct("pin", customers, self.now, author, lambda one: replace(one, pin=held))

    def unpin(self, customer: str, **author: str) -> Answer | Refused:
        return _only(self.unpin_many([customer], **author))

    def unpin_many(self, customers: list[str], **author: str) -> list[Answer] | Refused:
        return self._correct(
            "unpin", customers, self.now, author, lambda one: replace(one, pin=None)
        )

    def _correct(
        self,
        kind: str,
        keys: list[str],
        clock: int,
        author: dict[str, str],
        change: Callable[[Counter], Counter],
    ) -> list[Answer] | Refused:
        if not self.customers.keys() >= set(keys):
            return UNKNOWN_CUSTOMER
        answers = []
        for key in dict.fromkeys(keys):
            one, before = self.customers[key], self.standing(key, clock)
            if kind == "unpin" and not before.pinned:
                answers.append(before)
                continue
            if not before.pinned:
                one.counter = replace(one.counter, pin=None)
            one.counter = change(one.counter)
            answers.append(self.standing(key, clock))
            self.record(kind, key, author, clock, before, answers[-1])
        return answers

    # Policies.

    def create_policy(
        self,
        name: str,
        reset_interval: int,
        recovery: str,
        thresholds: tuple[int, ...],
        **author: str,
    ) -> Terms | Refused:
        if name in self.policies:
            return Refused.by("PolicyExists")
        self.policies[name] = Terms(reset_interval, recovery, tuple(thresholds), name)
        self.record("policy", "", author, self.now)
        return self.policies[name]

    def change_policy(
        self,
        name: str,
        reset_interval: int | None = None,
        recovery: str | None = None,
        thresholds: tuple[int, ...] | None = None,
        **author: str,
    ) -> Terms | Refused:
        if name not in self.policies:
            return UNKNOWN_POLICY
        old = self.policies[name]
        new = Terms(
            reset_interval or old.seconds,
            recovery or old.recovery,
            thresholds or old.thresholds,
            name,
        )
        if new != old:
            self.policies[name] = new
            self.record("policy", "", author, self.now)
        return new

    def delete_policy(self, name: str, **author: str) -> Refused | None:
        if name not in self.policies:
            return UNKNOWN_POLICY
        if any(one.policy == name for one in self.customers.values()):
            return Refused.by("PolicyInUse")
        del self.policies[name]
        self.record("policy", "", author, self.now)
        return None

    def set_policy(self, customer: str, policy: str | None, **author: str) -> Answer | Refused:
        if customer not in self.customers:
            return UNKNOWN_CUSTOMER
        if policy is not None and policy not in self.policies:
            return UNKNOWN_POLICY
        before = self.standing(customer, self.now)
        self.customers[customer].policy = policy
        after = self.standing(customer, self.now)
        if before.policy != after.policy:
            self.record("policy", customer, author, self.now, before, after)
        return after

    # Coming and going.

    def create_customer(self, customer: str, policy: str | None = None) -> str | Refused:
        wrong = {
            "PolicyNotFound": policy is not None and policy not in self.policies,
            "CustomerExists": customer in self.customers,
        }
        if any(wrong.values()):
            return Refused.by(*(name for name, is_so in wrong.items() if is_so))
        self.customers[customer] = Customer(policy)
        return customer

    def forget(self, customer: str, **author: str) -> Refused | None:
        if customer not in self.customers:
            return UNKNOWN_CUSTOMER
        before = self.standing(customer, self.now)
        del self.customers[customer]
        self.events = [event for event in self.events if event.customer != customer]
        self.record("forget", customer, author, self.now, before)
        return None

    def prune(self, batch_size: int) -> tuple[int, int]:
        """How many decisions and events went; in what batches changes nothing."""
        oldest = self.now - self.values["DOCUMENT_RETENTION_DAYS"] * DAY
        gone = 0
        for one in self.customers.values():
            kept = {name: kept for name, kept in one.decisions.items() if kept.decided_at >= oldest}
            gone += len(one.decisions) - len(kept)
            one.decisions = kept
        events = len(self.events)
        oldest = self.now - self.values["EVENT_RETENTION_DAYS"] * DAY
        self.events = [event for event in self.events if event.created_at >= oldest]
        return gone, events - len(self.events)


def _only(answers: list[Answer] | Refused) -> Answer | Refused:
    return answers if isinstance(answers, Refused) else answers[0]
