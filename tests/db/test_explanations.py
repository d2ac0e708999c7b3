"""The sentences that say why a customer stands where it stands."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.utils.translation import override
from hypothesis import event, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from doc_priority import rules, services
from doc_priority.explanations import explain
from doc_priority.models import Counter, Customer, Policy
from doc_priority.types import CounterState, PolicyTerms, Recovery, from_microseconds
from doc_priority.validation import to_microseconds
from tests.vectors import START

# The rows they are told from are held on every database by test_live.py.
pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

MORNING = datetime(2026, 3, 2, 9, 41, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FAR_AWAY = datetime(2100, 1, 1, 10, 30, tzinfo=UTC)


@pytest.fixture
def acme(db: None) -> Customer:
    return services.create_customer("acme", name="Acme")


def explained(after: timedelta = timedelta(), *, shown: str = "%H:%M") -> str:
    live = Customer.objects.live(MORNING + after).select_related("counter", "policy")
    return explain(live.get(key="acme"), shown=lambda moment: f"{moment:{shown}}")


def send(documents: int, *, after: timedelta = timedelta()) -> None:
    """So many documents; the first one finds the counter at 0 and leaves it there."""
    services.check_many(["acme"] * documents, at=MORNING + after)


def test_before_during_and_after_the_interval(acme: Customer) -> None:
    assert explained() == "Acme has priority 1: no document has been counted yet."
    send(1)
    assert explained(MINUTE) == (
        "Acme has priority 1: the counter was at 0 at 09:41, nothing counted since."
    )
    for document, sentence in [
        (1, "1 document since 09:41: Acme stays at priority 1."),
        (2, "2 documents since 09:41: Acme stays at priority 1."),
    ]:
        send(1)
        assert explained(MINUTE) == (
            f"{sentence} If nothing new arrives, the counter is back at 0 at 10:06."
        ), document
    for documents, more, priority in [(3, 1, 2), (13, 10, 7), (21, 8, 9)]:
        send(more)
        assert explained(25 * MINUTE) == (
            f"{documents} documents since 09:41 moved Acme from priority 1 to {priority}. "
            "If nothing new arrives, the priority is back at 1 at 10:06."
        )
    assert explained(26 * MINUTE) == (
        "Acme has priority 1: nothing sent since 09:41, and the counter is back at 0."
    )


def test_a_name_may_be_missing_and_is_no_template(acme: Customer) -> None:
    services.rename_customer("acme", name="")
    assert explained().startswith("acme has priority 1")
    services.rename_customer("acme", name="100 %(count)d%s")
    send(2)
    assert "since 09:41: 100 %(count)d%s stays at priority 1." in explained()

    # A reset starts the counter, too.
    send(20)
    services.reset("acme", at=MORNING + MINUTE)
    assert "the counter was at 0 at 09:42" in explained(2 * MINUTE)


def test_under_idle_the_end_moves_and_under_window_it_stays(acme: Customer, settings: Any) -> None:
    send(1)
    send(13, after=20 * MINUTE)
    assert explained(21 * MINUTE) == (
        "13 documents since 09:41 moved Acme from priority 1 to 7. "
        "If nothing new arrives, the priority is back at 1 at 10:26."
    )

    services.forget("acme")
    services.create_customer("acme", name="Acme")
    settings.DOC_PRIORITY = {"RECOVERY": "window"}
    send(2)
    assert explained() == (
        "1 document since 09:41: Acme stays at priority 1. "
        "The counter is back at 0 at 10:06, even if more documents arrive before then."
    )
    send(12, after=20 * MINUTE)
    assert explained(21 * MINUTE) == (
        "13 documents since 09:41 moved Acme from priority 1 to 7. "
        "The priority is back at 1 at 10:06, even if more documents arrive before then."
    )


def test_under_halving_the_way_back_has_steps(acme: Customer, settings: Any) -> None:
    settings.DOC_PRIORITY = {"RECOVERY": "halving", "RESET_INTERVAL": 1800}
    send(14)
    halves = "The counter recovers by half every 3 minutes. If nothing new arrives, "
    for minutes, sentences in [
        (
            0,
            f"The counter is at −13, so Acme has priority 7. {halves}"
            "the priority is 3 at 09:44 and 1 again at 09:50.",
        ),
        (
            3,
            f"The counter is at −6, so Acme has priority 3. {halves}"
            "the priority is 2 at 09:47 and 1 again at 09:50.",
        ),
        (
            6,
            f"The counter is at −3, so Acme has priority 2. {halves}"
            "the priority is back at 1 at 09:50.",
        ),
        (
            9,
            f"The counter is at −1, so Acme has priority 1. {halves}"
            "the counter is back at 0 at 09:53.",
        ),
        (
            12,
            "Acme has priority 1: nothing sent since 09:41, and the counter is back at 0.",
        ),
    ]:
        assert explained(minutes * MINUTE) == sentences

    # The end of the interval ends it, too.
    services.forget("acme")
    services.create_customer("acme")
    settings.DOC_PRIORITY = {"RECOVERY": "halving", "THRESHOLDS": [*range(-1, -9, -1)]}
    send(2000)
    assert explained().endswith(
        "If nothing new arrives, the priority is 7 at 10:01 and 1 again at 10:06."
    )


def test_a_policy_is_named(acme: Customer, settings: Any) -> None:
    terms = {"reset_interval": 3600, "recovery": "idle"}
    services.create_policy("Gold", **terms, thresholds=[*range(-10, -90, -10)])
    services.set_policy("acme", policy="Gold")
    send(1)
    assert explained().endswith("nothing counted since. Policy: “Gold”.")
    send(10)
    assert explained() == (
        "10 documents since 09:41: Acme stays at priority 1. "
        "If nothing new arrives, the counter is back at 0 at 10:41. Policy: “Gold”."
    )
    send(1)
    assert explained().startswith("11 documents since 09:41 moved Acme from priority 1 to 2.")

    # A threshold of 0 counts the first document after the start.
    services.forget("acme")
    services.create_customer("acme", name="Acme")
    settings.DOC_PRIORITY = {"THRESHOLDS": [*range(0, -8, -1)]}
    send(2)
    assert explained() == (
        "1 document since 09:41 moved Acme from priority 1 to 2. "
        "If nothing new arrives, the priority is back at 1 at 10:06."
    )


def test_pinned(acme: Customer) -> None:
    never = "Acme has priority 1: no document has been counted yet."
    services.pin("acme", priority=2, until=None)
    assert explained() == (f"Acme is pinned to priority 2 without an end. Without the pin: {never}")
    services.pin("acme", priority=2, until=FAR_AWAY)
    assert explained() == (f"Acme is pinned to priority 2 until 10:30. Without the pin: {never}")
    send(14)
    assert explained() == (
        "Acme is pinned to priority 2 until 10:30. Without the pin: "
        "13 documents since 09:41 moved Acme from priority 1 to 7. "
        "If nothing new arrives, the priority is back at 1 at 10:06."
    )


def test_makes_no_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    default = {"reset_interval": 1500, "thresholds": [-2, -4, -6, -8, -10, -12, -14, -20]}
    for recovery in Recovery:
        Customer.objects.all().delete()
        services.create_policy(recovery, recovery=recovery, **default)
        steps: list[Callable[[], object]] = [
            partial(services.create_customer, "acme"),
            partial(send, 14),
            partial(services.set_policy, "acme", policy=recovery),
            partial(services.pin, "acme", priority=2, until=FAR_AWAY),
        ]
        for step in steps:
            step()
            customer = Customer.objects.live(MORNING).select_related("counter", "policy").get()
            with django_assert_num_queries(0):
                assert explain(customer, shown=str)


def test_in_other_languages_with_their_plurals(acme: Customer) -> None:
    said = {
        "de": {
            1: "1 Dokument seit 2026-03-02 09:41: Acme bleibt ",
            2: "2 Dokumente seit 2026-03-02 09:41: Acme bleibt ",
            13: "13 Dokumente seit 2026-03-02 09:41: "
            "Die Priorität von Acme hat sich von 1 auf 7 verschlechtert. "
            "Kommt nichts Neues, ist die Priorität am 2026-03-02 10:06 wieder 1.",
        },
        "es": {
            1: "1 documento desde el 2026-03-02 09:41: Acme sigue ",
            2: "2 documentos desde el 2026-03-02 09:41: Acme sigue ",
            13: "13 documentos desde el 2026-03-02 09:41: "
            "Acme ha pasado de la prioridad 1 a la 7. "
            "Si no llega nada nuevo, la prioridad vuelve a 1 el 2026-03-02 10:06.",
        },
        "pl": {
            1: "1 dokument od 2026-03-02 09:41: klient Acme nadal ma ",
            2: "2 dokumenty od 2026-03-02 09:41: klient Acme nadal ma ",
            5: "5 dokumentów od 2026-03-02 09:41: priorytet klienta Acme spadł ",
            12: "12 dokumentów od 2026-03-02 09:41: ",
            13: "13 dokumentów od 2026-03-02 09:41: "
            "priorytet klienta Acme spadł z 1 do 7. "
            "Jeśli nic nowego nie wpłynie, dnia 2026-03-02 10:06 priorytet wróci do 1.",
            21: "21 dokumentów od 2026-03-02 09:41: ",
            22: "22 dokumenty od 2026-03-02 09:41: ",
        },
        "pt": {
            1: "Com 1 documento desde 2026-03-02 09:41, Acme continua ",
            2: "Com 2 documentos desde 2026-03-02 09:41, Acme continua ",
            13: "Com 13 documentos desde 2026-03-02 09:41, "
            "Acme passou da prioridade 1 para a 7. "
            "Se não chegar nada de novo, a prioridade volta a 1 em 2026-03-02 10:06.",
        },
        # A language that we do not have.
        "fi": {13: "13 documents since 2026-03-02 09:41 moved Acme"},
    }
    send(1)
    for documents in range(1, 23):
        send(1)
        for language, sentences in said.items():
            if documents in sentences:
                with override(language):
                    found = explained(MINUTE, shown="%Y-%m-%d %H:%M")
                assert found.startswith(sentences[documents])
                assert found == sentences[documents] or documents != 13 or language == "fi"


# Whatever was sent under whatever policy: each sentence of an explanation is true.


@dataclass
class History:
    """What was sent, and what the rule made of it; times are microseconds."""

    terms: PolicyTerms
    now: int
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

    def documents_since(self, count: int, moment: int) -> bool:
        return self.began == (count, moment) and self.pending() == count

    def nothing_since(self, moment: int) -> bool:
        return self.last_document <= moment and self.pending() == 0 and self.priority() == 1

    def at_0(self, moment: int) -> bool:
        return self.pending(moment - 1) > 0 and self.pending(moment + 1) == 0

    def at_1(self, moment: int) -> bool:
        return self.priority(moment - 1) > 1 and self.priority(moment + 1) == 1

    def at_0_in_any_case(self, moment: int) -> bool:
        more = rules.check(self.state, self.terms, max(self.now, moment - 1), documents=99)
        return self.at_0(moment) and rules.peek(more, self.terms, moment + 1).pending_documents == 0


def test_every_sentence_is_true() -> None:
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
    claims: dict[str, Callable[..., bool]] = {
        r"c\d has priority 1: no document has been counted yet\.": lambda h: (
            h.last_document == 0 and h.state == CounterState() and h.priority() == 1
        ),
        r"c\d has priority 1: nothing sent since (\d+), "
        r"and the counter is back at 0\.": History.nothing_since,
        r"c\d has priority 1: the counter was at 0 at (\d+), "
        r"nothing counted since\.": lambda h, moment: (
            h.nothing_since(moment) and h.began == (0, moment)
        ),
        r"([\d,]+) documents? since (\d+): c\d stays at priority 1\.": lambda h, count, moment: (
            h.documents_since(count, moment) and h.priority() == 1
        ),
        r"([\d,]+) documents? since (\d+) moved c\d from priority 1 to (\d)\.": (
            lambda h, count, moment, priority: (
                h.documents_since(count, moment) and h.priority() == priority > 1
            )
        ),
        r"The counter is at −([\d,]+), so c\d has priority (\d)\.": lambda h, count, priority: (
            h.pending() == count and h.priority() == priority
        ),
        r"The counter recovers by half every [\w ]+\.": lambda h: (
            h.pending(h.now + h.terms.interval // 10) in (h.pending() // 2, 0)
        ),
        r"If nothing new arrives, the counter is back at 0 at (\d+)\.": History.at_0,
        r"If nothing new arrives, the priority is back at 1 at (\d+)\.": History.at_1,
        r"If nothing new arrives, the priority is (\d) at (\d+) and 1 again at (\d+)\.": (
            lambda h, priority, moment, end: (
                h.priority(moment - 1) == h.priority()
                and h.priority(moment + 1) == priority < h.priority()
                and h.at_1(end)
            )
        ),
        r"The counter is back at 0 at (\d+), "
        r"even if more documents arrive before then\.": History.at_0_in_any_case,
        r"The priority is back at 1 at (\d+), "
        r"even if more documents arrive before then\.": lambda h, moment: (
            h.at_1(moment) and h.at_0_in_any_case(moment)
        ),
        r"Policy: “p\d”\.": lambda h: True,
    }

    @hypothesis_settings(max_examples=30)
    @given(st.lists(st.tuples(policies, actions, pauses), min_size=3, max_size=8))
    def tell(told: list[tuple[PolicyTerms, list[tuple[int, int]], int]]) -> None:
        Customer.objects.all().delete()
        Policy.objects.all().delete()
        histories = {}
        for number, (terms, actions, pause) in enumerate(told):
            history = History(
                terms, now=to_microseconds(START) - pause - sum(wait for wait, _ in actions)
            )
            for wait, documents in actions:
                history.now += wait
                if documents:
                    history.send(documents)
                else:
                    history.reset()
            history.now += pause
            histories[f"c{number}"] = history
            policy = Policy.objects.create(
                name=f"p{number}",
                reset_interval=terms.reset_interval,
                recovery=terms.recovery,
                thresholds=list(terms.thresholds),
            )
            pending, *times = history.state
            updated_at, recovered_at = (time and from_microseconds(time) for time in times)
            Counter.objects.create(
                customer=Customer.objects.create(key=f"c{number}", policy=policy),
                pending_documents=pending,
                updated_at=updated_at,
                recovered_at=recovered_at,
            )
        live = Customer.objects.live(START).select_related("counter", "policy")
        for row in live:
            text = left = explain(row, shown=lambda moment: str(to_microseconds(moment)))
            while left:  # every sentence is a claim, and nothing is left over
                claim, match = next((c, m) for c in claims if (m := re.match(f"{c} ?", left)))
                event(claim[:50])
                numbers = [int(number.replace(",", "")) for number in match.groups()]
                assert claims[claim](histories[row.key], *numbers), text
                left = left[match.end() :]

    tell()
