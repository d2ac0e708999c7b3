"""Whatever was sent under whatever policy: each sentence of an explanation is true."""

import re
from dataclasses import dataclass, field

import pytest
from hypothesis import event, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from doc_priority import rules
from doc_priority.explanations import explain
from doc_priority.models import Counter, Customer, Policy
from doc_priority.types import CounterState, PolicyTerms, Recovery, from_microseconds
from doc_priority.validation import to_microseconds
from tests.vectors import START

pytestmark = pytest.mark.django_db

BASE = to_microseconds(START)


@dataclass
class History:
    """What was sent, and what the rule made of it; times are microseconds."""

    terms: PolicyTerms
    now: int = BASE
    state: CounterState = field(default_factory=CounterState)
    last_document: int = 0
    began: tuple[int, int] = (0, 0)
    """So many documents were counted, since that moment at which the counter was 0."""

    def send(self, documents: int) -> None:
        self.state = rules.check(self.state, self.terms, self.now, documents=documents)
        self.last_document = self.now
        if self.state.recovered_at == self.now:
            self.began = (documents - 1, self.now)
        else:
            self.began = (self.began[0] + documents, self.began[1])

    def reset(self) -> None:
        self.state = rules.reset(self.state, self.now)
        self.began = (0, self.now)

    def pending(self, moment: int | None = None) -> int:
        """The count at this moment, or now, if nothing more comes."""
        at = self.now if moment is None else max(moment, self.now)
        return -rules.peek(self.state, self.terms, at).pending_documents

    def priority(self, moment: int | None = None) -> int:
        return rules.priority_of(-self.pending(moment), self.terms.thresholds)

    # What the sentences say.

    def never(self) -> bool:
        return self.last_document == 0 and self.state == CounterState() and self.priority() == 1

    def nothing_since(self, moment: int) -> bool:
        return self.last_document <= moment and self.pending() == 0 and self.priority() == 1

    def started(self, moment: int) -> bool:
        return self.nothing_since(moment) and self.began == (0, moment)

    def documents_since(self, count: int, moment: int) -> bool:
        return self.began == (count, moment) and self.pending() == count

    def leave(self, *said: int) -> bool:
        return self.documents_since(*said) and self.priority() == 1

    def bring(self, count: int, moment: int, priority: int) -> bool:
        return self.documents_since(count, moment) and self.priority() == priority > 1

    def pending_leave(self, count: int) -> bool:
        return self.pending() == count and self.priority() == 1

    def pending_bring(self, count: int, priority: int) -> bool:
        return self.pending() == count and self.priority() == priority > 1

    def halves(self) -> bool:
        tenth = self.terms.interval // 10
        return self.pending(self.now + tenth) in (self.pending() // 2, 0)

    def at_0(self, moment: int) -> bool:
        return self.pending(moment - 1) > 0 and self.pending(moment + 1) == 0

    def at_1(self, moment: int) -> bool:
        return self.priority(moment - 1) > 1 and self.priority(moment + 1) == 1

    def at_0_in_any_case(self, moment: int) -> bool:
        more = rules.check(self.state, self.terms, max(self.now, moment - 1), documents=99)
        return self.at_0(moment) and rules.peek(more, self.terms, moment + 1).pending_documents == 0

    def at_1_in_any_case(self, moment: int) -> bool:
        return self.at_1(moment) and self.at_0_in_any_case(moment)

    def improves(self, priority: int, moment: int, end: int) -> bool:
        return (
            self.priority(moment - 1) == self.priority()
            and self.priority(moment + 1) == priority < self.priority()
            and self.at_1(end)
        )


CLAIMS = {
    r"acme stands at priority 1: no document has been counted yet\.": History.never,
    r"acme stands at priority 1: no document has been counted since (\d+), "
    r"and the counter is back at 0\.": History.nothing_since,
    r"acme stands at priority 1: the counter started at 0 at (\d+), "
    r"and no document has been counted since\.": History.started,
    r"([\d,]+) documents? since (\d+) leaves? acme at priority 1\.": History.leave,
    r"([\d,]+) documents? since (\d+) brings? acme from 1 to (\d)\.": History.bring,
    r"([\d,]+) pending documents? leaves? acme at priority 1\.": History.pending_leave,
    r"([\d,]+) pending documents? brings? acme from 1 to (\d)\.": History.pending_bring,
    r"The count halves with every tenth of the interval\.": History.halves,
    r"Without a new document the counter is back at 0 at (\d+)\.": History.at_0,
    r"Without a new document it is back at 1 at (\d+)\.": History.at_1,
    r"Without a new document it improves to (\d) at (\d+) "
    r"and is back at 1 at (\d+)\.": History.improves,
    r"The counter is back at 0 at (\d+), "
    r"even if new documents come before then\.": History.at_0_in_any_case,
    r"It is back at 1 at (\d+), "
    r"even if new documents come before then\.": History.at_1_in_any_case,
    r"The policy “mine” applies\.": lambda history: True,
}


def claims(text: str) -> list[tuple[str, list[int]]]:
    """The claims a text consists of, each with its numbers; nothing may be left over."""
    found = []
    while text:
        claim, match = next((c, m) for c in CLAIMS if (m := re.match(f"{c} ?", text)))
        found.append((claim, [int(number.replace(",", "")) for number in match.groups()]))
        text = text[match.end() :]
    return found


def explained(history: History) -> str:
    Customer.objects.all().delete()
    Policy.objects.all().delete()
    terms = history.terms
    policy = Policy(name="mine", reset_interval=terms.reset_interval, recovery=terms.recovery)
    policy.thresholds = list(terms.thresholds)
    policy.save()
    customer = Customer.objects.create(key="acme", policy=policy)
    pending, *times = history.state
    Counter.objects.create(
        customer=customer,
        pending_documents=pending,
        **{
            name: None if time is None else from_microseconds(time)
            for name, time in zip(("updated_at", "recovered_at"), times, strict=True)
        },
    )
    live = Customer.objects.live(from_microseconds(history.now))
    row = live.select_related("counter", "policy").get()
    return explain(row, shown=lambda moment: str(to_microseconds(moment)))


policies = st.builds(
    PolicyTerms,
    reset_interval=st.sampled_from([10, 1500, 86_400]),
    recovery=st.sampled_from(Recovery),
    thresholds=st.sampled_from(
        [
            PolicyTerms().thresholds,
            tuple(range(0, -8, -1)),
            tuple(range(-10, -90, -10)),
            (-1, -2, -3, -4, -5, -6, -7, -1_000_000),
        ]
    ),
)
pauses = st.one_of(
    st.integers(1, 60_000_000),
    st.integers(1, 300_000_000),
    st.integers(1, 2_000_000_000),
    st.sampled_from([1_000_000, 10_000_000, 10_000_001, 150_000_000, 1_500_000_000]),
)
documents = st.one_of(st.integers(0, 8), st.sampled_from([0, 13, 100, 5000]))
actions = st.lists(st.tuples(pauses, documents), max_size=8)


@hypothesis_settings(max_examples=250)
@given(terms=policies, actions=actions, pause=pauses)
def test_every_sentence_is_true(
    terms: PolicyTerms, actions: list[tuple[int, int]], pause: int
) -> None:
    history = History(terms)
    for wait, documents in actions:
        history.now += wait
        if documents:
            history.send(documents)
        else:
            history.reset()
    history.now += pause
    text = explained(history)
    for claim, numbers in claims(text):
        event(claim[:50])
        assert CLAIMS[claim](history, *numbers), text
