"""The sentences that say why a customer stands where it stands."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from doc_priority import services
from doc_priority.explanations import explain
from doc_priority.models import Customer

pytestmark = pytest.mark.django_db

MORNING = datetime(2026, 3, 2, 9, 41, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FAR_AWAY = datetime(2100, 1, 1, 10, 30, tzinfo=UTC)

Settings = Any
"""The fixture of pytest-django, on which any setting can be set."""


@pytest.fixture(autouse=True)
def acme(db: None) -> Customer:
    return services.create_customer("acme", name="Acme")


def clock(moment: datetime) -> str:
    return f"{moment:%H:%M}"


def row(at: datetime) -> Customer:
    live = Customer.objects.live(at).select_related("counter", "policy")
    customer: Customer = live.get(key="acme")
    return customer


def explained(after: timedelta = timedelta()) -> str:
    return explain(row(MORNING + after), shown=clock)


def send(documents: int, *, after: timedelta = timedelta()) -> None:
    """So many documents; the first one finds the counter at 0 and leaves it there."""
    services.check_many(["acme"] * documents, at=MORNING + after)


def test_never_a_document() -> None:
    assert explained() == "Acme stands at priority 1: no document has been counted yet."


def test_a_customer_without_a_name_is_named_by_its_key() -> None:
    services.rename_customer("acme", name="")
    assert explained().startswith("acme stands at priority 1")


def test_the_interval_is_over() -> None:
    send(20)
    assert explained(26 * MINUTE) == (
        "Acme stands at priority 1: no document has been counted since 09:41, "
        "and the counter is back at 0."
    )


def test_the_first_document() -> None:
    send(1)
    assert explained(MINUTE) == (
        "Acme stands at priority 1: the counter started at 0 at 09:41, "
        "and no document has been counted since."
    )


def test_a_reset_starts_the_counter_too() -> None:
    send(20)
    services.reset("acme", at=MORNING + MINUTE)
    assert "the counter started at 0 at 09:42" in explained(2 * MINUTE)


@pytest.mark.parametrize(
    ("documents", "sentence"),
    [
        (1, "1 document since 09:41 leaves Acme at priority 1."),
        (2, "2 documents since 09:41 leave Acme at priority 1."),
    ],
)
def test_counting_and_still_at_1(documents: int, sentence: str) -> None:
    send(1 + documents)
    assert explained(MINUTE) == (
        f"{sentence} Without a new document the counter is back at 0 at 10:06."
    )


@pytest.mark.parametrize(("documents", "priority"), [(3, 2), (13, 7), (21, 9)])
def test_counting_under_idle(documents: int, priority: int) -> None:
    send(1 + documents)
    assert explained(25 * MINUTE) == (
        f"{documents} documents since 09:41 bring Acme from 1 to {priority}. "
        "Without a new document it is back at 1 at 10:06."
    )


def test_under_idle_the_end_moves_and_the_beginning_stays() -> None:
    send(1)
    send(13, after=20 * MINUTE)
    assert explained(21 * MINUTE) == (
        "13 documents since 09:41 bring Acme from 1 to 7. "
        "Without a new document it is back at 1 at 10:26."
    )


def test_counting_under_window(settings: Settings) -> None:
    settings.DOC_PRIORITY = {"RECOVERY": "window"}
    send(1)
    send(13, after=20 * MINUTE)
    assert explained(21 * MINUTE) == (
        "13 documents since 09:41 bring Acme from 1 to 7. "
        "It is back at 1 at 10:06, even if new documents come before then."
    )


def test_counting_under_window_and_still_at_1(settings: Settings) -> None:
    settings.DOC_PRIORITY = {"RECOVERY": "window"}
    send(2)
    assert explained() == (
        "1 document since 09:41 leaves Acme at priority 1. "
        "The counter is back at 0 at 10:06, even if new documents come before then."
    )


@pytest.mark.parametrize(
    ("minutes", "sentences"),
    [
        (
            0,
            "13 pending documents bring Acme from 1 to 7. "
            "The count halves with every tenth of the interval. "
            "Without a new document it improves to 3 at 09:44 and is back at 1 at 09:50.",
        ),
        (
            3,
            "6 pending documents bring Acme from 1 to 3. "
            "The count halves with every tenth of the interval. "
            "Without a new document it improves to 2 at 09:47 and is back at 1 at 09:50.",
        ),
        (
            6,
            "3 pending documents bring Acme from 1 to 2. "
            "The count halves with every tenth of the interval. "
            "Without a new document it is back at 1 at 09:50.",
        ),
        (
            9,
            "1 pending document leaves Acme at priority 1. "
            "The count halves with every tenth of the interval. "
            "Without a new document the counter is back at 0 at 09:53.",
        ),
        (
            12,
            "Acme stands at priority 1: no document has been counted since 09:41, "
            "and the counter is back at 0.",
        ),
    ],
)
def test_counting_under_halving(settings: Settings, minutes: int, sentences: str) -> None:
    settings.DOC_PRIORITY = {"RECOVERY": "halving", "RESET_INTERVAL": 1800}
    send(14)
    assert explained(minutes * MINUTE) == sentences


def test_the_end_of_the_interval_ends_halving_too(settings: Settings) -> None:
    settings.DOC_PRIORITY = {"RECOVERY": "halving", "THRESHOLDS": [*range(-1, -9, -1)]}
    send(2000)
    assert explained().endswith(
        "Without a new document it improves to 7 at 10:01 and is back at 1 at 10:06."
    )


def test_a_policy_is_named(acme: Customer) -> None:
    terms = {"reset_interval": 3600, "recovery": "idle"}
    services.create_policy("Gold", **terms, thresholds=[*range(-10, -90, -10)])
    services.set_policy("acme", policy="Gold")
    send(1)
    assert explained().endswith("no document has been counted since. The policy “Gold” applies.")
    send(10)
    assert explained() == (
        "10 documents since 09:41 leave Acme at priority 1. "
        "Without a new document the counter is back at 0 at 10:41. The policy “Gold” applies."
    )
    send(1)
    assert explained().startswith("11 documents since 09:41 bring Acme from 1 to 2.")


def test_a_threshold_of_0_counts_the_first_document_after_the_start(settings: Settings) -> None:
    settings.DOC_PRIORITY = {"THRESHOLDS": [*range(0, -8, -1)]}
    send(2)
    assert explained() == (
        "1 document since 09:41 brings Acme from 1 to 2. "
        "Without a new document it is back at 1 at 10:06."
    )


def test_pinned() -> None:
    services.pin("acme", priority=2, until=FAR_AWAY)
    assert explained() == (
        "Acme is pinned to priority 2 until 10:30. The counter alone would say: "
        "Acme stands at priority 1: no document has been counted yet."
    )
    send(14)
    assert explained() == (
        "Acme is pinned to priority 2 until 10:30. The counter alone would say: "
        "13 documents since 09:41 bring Acme from 1 to 7. "
        "Without a new document it is back at 1 at 10:06."
    )


def test_pinned_without_an_end() -> None:
    services.pin("acme", priority=2, until=None)
    assert explained() == (
        "Acme is pinned to priority 2 without an end. The counter alone would say: "
        "Acme stands at priority 1: no document has been counted yet."
    )


def test_a_name_is_no_template() -> None:
    services.rename_customer("acme", name="100 %(count)d%s")
    send(2)
    assert "leaves 100 %(count)d%s at priority 1." in explained()


@pytest.mark.parametrize("recovery", ["idle", "window", "halving"])
def test_makes_no_query(recovery: str, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    default = {"reset_interval": 1500, "thresholds": [-2, -4, -6, -8, -10, -12, -14, -20]}
    services.create_policy("Gold", recovery=recovery, **default)
    steps: list[Callable[[], object]] = [
        lambda: None,
        lambda: send(14),
        lambda: services.set_policy("acme", policy="Gold"),
        lambda: services.pin("acme", priority=2, until=FAR_AWAY),
    ]
    for step in steps:
        step()
        customer = row(MORNING)
        with django_assert_num_queries(0):
            assert explain(customer, shown=clock)
