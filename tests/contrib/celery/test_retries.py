"""What a worker sends itself: retries, chords and links of chains."""

from typing import Any

import pytest
from celery import Celery, chain, chord

from doc_priority import services
from tests.servers import REDIS_URL
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.counting import counted
from tests.contrib.celery.portal import Terms
from tests.contrib.celery.workers import lines_once, worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis]


def run(terms: Terms, count: int) -> list[dict[str, Any]]:
    with worker(terms):
        return lines_once(terms, count)


def test_a_retry_is_left_alone(process: Any, sent: list[dict[str, Any]]) -> None:
    process.apply_async(("acme", "D-1"), retries=1)
    assert "doc_priority" not in sent[0]
    assert counted() == 0


def test_retries_are_neither_counted_nor_changed(portal: tuple[Celery, Terms]) -> None:
    app, terms = portal
    for number in range(9):
        services.check("acme", document=f"before-{number}")
    app.tasks["portal.retried"].delay("acme", "D-1")
    begun = run(terms, 3)
    assert [line["retries"] for line in begun] == [0, 1, 2]
    assert {line["priority"] for line in begun} == {begun[0]["told"]["priority"]} == {5}
    assert {line["id"] for line in begun} == {begun[0]["id"]}
    assert counted() == 10


@pytest.mark.sqlite
def test_a_chord_and_a_chain(make_portal: MakePortal) -> None:
    """Links of a chain are sent, and counted, by the worker; it shares the database."""
    app, terms = make_portal("redis", result_backend=REDIS_URL)
    process, following = app.tasks["portal.process"], app.tasks["portal.next"]
    with worker(terms):
        done = chord([process.s("acme", f"D-{one}") for one in range(3)])(following.s())
        assert done.get(timeout=30) == ["D-0", "D-1", "D-2"]
        chained = chain(process.s("acme", "D-3"), following.s())()
        assert chained.get(timeout=30) == "D-3"
    assert counted() == 4


def test_a_link_sent_by_a_worker(portal: Any, sent: list[dict[str, Any]]) -> None:
    """As the worker sends it: with no priority in so many words, and the result in front."""
    named = portal[0].tasks["portal.named"]
    named.s("acme", "D-1").apply_async(("result",), parent_id="p", root_id="r", priority=None)
    assert sent[0]["doc_priority"]["document"] == "D-1"
    assert counted() == 1
