"""What the services promise, done to plain Python values; slow, and one thing after the other.

Written from the description of the rule and of the services alone. It imports nothing of the code
under test, so that no mistake there is made here too. Its methods bear the names of the services
and take what they take.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

FLOOR = -(10**9)
NO_END = datetime(9998, 1, 1, tzinfo=UTC)
"""What is stored for a pin without an end."""

SETTINGS: dict[str, Any] = {
    "RESET_INTERVAL": 1500,
    "RECOVERY": "idle",
    "THRESHOLDS": (-2, -4, -6, -8, -10, -12, -14, -20),
    "CREATE_CUSTOMERS": True,
    "DOCUMENT_RETENTION_DAYS": 30,
    "EVENT_RETENTION_DAYS": 730,
}
"""What holds where a portal sets nothing."""


When = datetime | None
Pin = tuple[int, datetime]
"""A priority, and when it ends."""


class RefusedError(Exception):
    """The service raises the error of this name."""


class Terms(NamedTuple):
    """A policy; the default one's name is empty."""

    reset_interval: int
    recovery: str
    thresholds: tuple[int, ...]
    name: str = ""

    @property
    def interval(self) -> timedelta:
        return timedelta(seconds=self.reset_interval)

    def priority(self, count: int) -> int:
        return 1 + len([threshold for threshold in self.thresholds if count < threshold])

    def told(self) -> dict[str, Any]:
        """As an event keeps it."""
        return {
            "policy": self.name,
            "reset_interval": self.reset_interval,
            "recovery": self.recovery,
            "thresholds": list(self.thresholds),
        }


class Answer(NamedTuple):
    """A decision."""

    customer: str
    document: str
    pending_documents: int
    priority: int
    pinned: bool
    reset: bool
    repeated: bool
    decided_at: datetime
    resets_at: When
    policy: str

    def told(self, *fields: str) -> dict[str, Any]:
        """As an event keeps it."""
        return {name: getattr(self, name) for name in ("pending_documents", "priority", *fields)}


Answers = list[Answer]


class Event(NamedTuple):
    """Who did what to a customer, or to a policy and everyone who has it."""

    customer: str
    kind: str
    actor: str
    reason: str
    source: str
    created_at: datetime
    before: dict[str, Any]
    after: dict[str, Any]


@dataclass
class Customer:
    """A customer, and the counter under the terms that apply to it."""

    key: str
    policy: str | None = None
    count: int = 0
    updated: When = None
    recovered: When = None
    pin: Pin | None = None
    decisions: dict[str, Answer] = field(default_factory=dict)

    def clock(self, now: datetime) -> datetime:
        """It never goes back for a counter."""
        return now if self.updated is None or self.updated < now else self.updated

    def is_pinned(self, now: datetime) -> bool:
        return self.pin is not None and self.clock(now) < self.pin[1]

    def is_over(self, terms: Terms, now: datetime) -> bool:
        """Whether more than the interval has passed; whoever was never updated begins anew, too."""
        if self.updated is None or self.recovered is None:
            return True
        over = self.clock(now) - self.updated > terms.interval
        if terms.recovery == "window":
            over = over or self.clock(now) - self.recovered > terms.interval
        return over

    def halved(self, terms: Terms, now: datetime) -> tuple[int, When]:
        """The count and the last recovery, one halving for every full tenth of the interval."""
        count, recovered, tenth = self.count, self.recovered, terms.interval / 10
        if terms.recovery != "halving" or recovered is None:
            return count, recovered
        while count and recovered + tenth <= self.clock(now):
            count, recovered = -(-count // 2), recovered + tenth
        # At 0 there is nothing left to halve, and only the moment moves on.
        return count, recovered + (self.clock(now) - recovered) // tenth * tenth

    def current(self, terms: Terms, now: datetime) -> int:
        return 0 if self.is_over(terms, now) else self.halved(terms, now)[0]

    def is_counting(self, terms: Terms, now: datetime) -> bool:
        """Whether there is something left that time makes better."""
        if self.is_over(terms, now):
            return False
        return terms.recovery != "halving" or self.current(terms, now) != 0

    def resets_at(self, terms: Terms) -> When:
        """When the count is 0 again if nothing more comes, by whatever comes first."""
        if self.updated is None or self.recovered is None:
            return None
        ways = [self.updated + terms.interval]
        if terms.recovery == "window":
            ways.append(self.recovered + terms.interval)
        if terms.recovery == "halving":
            halvings, count = 0, -self.count
            while count:
                halvings, count = halvings + 1, count // 2
            ways.append(self.recovered + halvings * (terms.interval / 10))
        return min(ways)

    def count_document(self, terms: Terms, now: datetime) -> None:
        now = self.clock(now)
        if self.is_over(terms, now):
            self.count, self.recovered = 0, now
        else:
            count, self.recovered = self.halved(terms, now)
            self.count = max(count - 1, FLOOR)
        self.updated = now

    def start_at(self, count: int, now: datetime) -> None:
        self.count = count
        self.updated = self.recovered = now

    def standing(self, terms: Terms, now: datetime) -> Answer:
        """What a peek shows."""
        count, pinned = self.current(terms, now), self.is_pinned(now)
        priority = self.pin[0] if self.pin and pinned else terms.priority(count)
        resets_at = self.resets_at(terms) if self.is_counting(terms, now) else None
        told = (count, priority, pinned, False, False, self.clock(now), resets_at, terms.name)
        return Answer(self.key, "", *told)


class Portal:
    """Customers, policies and events, and the services that change them."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.settings = SETTINGS
        self.customers: dict[str, Customer] = {}
        self.policies: dict[str, Terms] = {}
        self.events: list[Event] = []

    def terms_of(self, one: Customer) -> Terms:
        if one.policy is not None:
            return self.policies[one.policy]
        names = ("RESET_INTERVAL", "RECOVERY", "THRESHOLDS")
        return Terms(*(self.settings[name] for name in names))

    def decisions(self) -> Answers:
        return [kept for one in self.customers.values() for kept in one.decisions.values()]

    def check(self, customer: str, *, document: str = "", **given: Any) -> Answer:
        return self.check_many([(customer, document)], **given)[0]

    def check_many(self, items: Any, *, at: When = None, must_exist: bool = False) -> Answers:
        pairs = [(item, "") if isinstance(item, str) else item for item in items]
        for key, _ in pairs:
            if must_exist or not self.settings["CREATE_CUSTOMERS"]:
                self._known(key)
        return [self._check(key, document, at or self.now) for key, document in pairs]

    def _check(self, key: str, document: str, now: datetime) -> Answer:
        one = self.customers.setdefault(key, Customer(key))
        if document in one.decisions:
            return one.decisions[document]._replace(repeated=True)
        terms = self.terms_of(one)
        begins_anew = one.updated is not None and one.is_over(terms, now)
        one.count_document(terms, now)
        answer = one.standing(terms, now)._replace(
            document=document, reset=begins_anew, resets_at=one.resets_at(terms)
        )
        if document:
            one.decisions[document] = answer
        return answer

    def put(self, customer: str, count: int, at: datetime) -> None:
        """What the portal's own tests and imports do."""
        one = self.customers.setdefault(customer, Customer(customer))
        one.start_at(count, at)
        one.pin = None

    def peek(self, customer: str, *, at: When = None) -> Answer:
        one = self._known(customer)
        return one.standing(self.terms_of(one), at or self.now)

    def live(self, at: When = None) -> list[tuple[Any, ...]]:
        """The list of all customers, by key."""
        rows = []
        for key, one in sorted(self.customers.items()):
            shown = self.peek(key, at=at)
            counting = one.is_counting(self.terms_of(one), at or self.now)
            until = one.pin[1] if one.pin and shown.pinned and one.pin[1] != NO_END else None
            place = (shown.pending_documents, shown.priority, counting, shown.pinned)
            rows.append((key, *place, until, one.updated, shown.resets_at))
        return rows

    def reset_many(self, customers: list[str], *, at: When = None, **author: str) -> Answers:
        return self._correct("reset", customers, author, at or self.now)

    def pin_many(
        self, customers: list[str], *, priority: int, until: When, **author: str
    ) -> Answers:
        if not all(key in self.customers for key in customers):
            raise RefusedError("CustomerNotFound")
        if customers and until is not None and until <= self.now:
            raise RefusedError("InvalidPin")
        return self._correct("pin", customers, author, self.now, (priority, until or NO_END))

    def unpin_many(self, customers: list[str], **author: str) -> Answers:
        return self._correct("unpin", customers, author, self.now)

    def reset(self, customer: str, **given: Any) -> Answer:
        return self.reset_many([customer], **given)[0]

    def pin(self, customer: str, **given: Any) -> Answer:
        return self.pin_many([customer], **given)[0]

    def unpin(self, customer: str, **given: Any) -> Answer:
        return self.unpin_many([customer], **given)[0]

    def _correct(
        self, kind: str, keys: list[str], author: Any, now: datetime, pin: Pin | None = None
    ) -> Answers:
        """Each customer once, all or none; who has no pin needs no unpinning."""
        answers = []
        for one in [self._known(key) for key in dict.fromkeys(keys)]:
            before = self.peek(one.key, at=now)
            if kind != "unpin" or before.pinned:
                one.pin = one.pin if before.pinned else None
                told_before = before.told() | _told_pin(one)
                if kind == "reset":
                    one.start_at(0, one.clock(now))
                else:
                    one.pin = pin
                told_after = self.peek(one.key, at=now).told() | _told_pin(one)
                self._record(one.key, kind, author, now, told_before, told_after)
            answers.append(self.peek(one.key, at=now))
        return answers

    def create_customer(self, customer: str, *, policy: str | None) -> tuple[str, str | None]:
        if policy is not None:
            self._policy(policy)
        if customer in self.customers:
            raise RefusedError("CustomerExists")
        self.customers[customer] = Customer(customer, policy)
        return customer, policy

    def set_policy(self, customer: str, *, policy: str | None, **author: str) -> Answer:
        one, before = self._known(customer), self.peek(customer)
        if policy is not None:
            self._policy(policy)
        one.policy = policy
        after = self.peek(customer)
        if before.policy != after.policy:
            told = before.told("policy"), after.told("policy")
            self._record(customer, "policy", author, self.now, *told)
        return after

    def forget(self, customer: str, **author: str) -> None:
        one, told = self._known(customer), self.peek(customer).told("policy")
        kept = [event for event in self.events if event.customer != customer]
        told |= {"documents": len(one.decisions), "events": len(self.events) - len(kept)}
        self.events = kept
        del self.customers[customer]
        self._record(customer, "forget", author, self.now, told, {})

    def create_policy(self, name: str, **given: Any) -> Terms:
        if name in self.policies:
            raise RefusedError("PolicyExists")
        terms = [given.pop(field) for field in Terms._fields[:3]]
        self.policies[name] = new = Terms(*terms, name=name)
        self._record("", "policy", given, self.now, {}, new.told())
        return new

    def change_policy(self, name: str, **given: Any) -> Terms:
        old = self._policy(name)
        terms = {field: given.pop(field) for field in Terms._fields if field in given}
        self.policies[name] = new = old._replace(**terms)
        if new != old:
            self._record("", "policy", given, self.now, old.told(), new.told())
        return new

    def delete_policy(self, name: str, **author: str) -> None:
        old = self._policy(name)
        if any(one.policy == name for one in self.customers.values()):
            raise RefusedError("PolicyInUse")
        del self.policies[name]
        self._record("", "policy", author, self.now, old.told(), {})

    def prune(self) -> tuple[int, int]:
        """How many decisions and events are older than is kept; they go."""
        before = len(self.decisions()), len(self.events)
        oldest = self.now - timedelta(days=self.settings["DOCUMENT_RETENTION_DAYS"])
        for one in self.customers.values():
            kept = [answer for answer in one.decisions.values() if answer.decided_at >= oldest]
            one.decisions = {answer.document: answer for answer in kept}
        oldest = self.now - timedelta(days=self.settings["EVENT_RETENTION_DAYS"])
        self.events = [event for event in self.events if event.created_at >= oldest]
        return before[0] - len(self.decisions()), before[1] - len(self.events)

    def _known(self, key: str) -> Customer:
        if key not in self.customers:
            raise RefusedError("CustomerNotFound")
        return self.customers[key]

    def _policy(self, name: str) -> Terms:
        if name not in self.policies:
            raise RefusedError("PolicyNotFound")
        return self.policies[name]

    def _record(self, customer: str, kind: str, author: Any, now: datetime, *told: Any) -> None:
        words = (author.get(name, "") for name in ("actor", "reason", "source"))
        self.events.append(Event(customer, kind, *words, now, *told))


def _told_pin(one: Customer) -> dict[str, Any]:
    if one.pin is None:
        return {}
    priority, until = one.pin
    text = until.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {"pinned_priority": priority, "pinned_until": None if until == NO_END else text}
