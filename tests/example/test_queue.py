"""The order in which the worker takes documents, and what happens to those it does not finish."""

from datetime import timedelta

import pytest
from django.utils import timezone

from doc_priority.testing import set_priority
from example_project.portal import queue
from example_project.portal.models import Client, Document
from example_project.portal.services import File, drop_documents

pytestmark = pytest.mark.django_db


def drop(client: Client, *names: str) -> None:
    drop_documents(client, files=[File(name, name) for name in names])


def taken_in_order() -> list[str]:
    names = []
    while (document := queue.take_next()) is not None:
        names.append(document.name)
        queue.finish(document)
    return names


def test_the_best_priority_first_and_among_equals_whoever_came_first(
    acme: Client, globex: Client
) -> None:
    set_priority("acme", 7)
    drop(acme, "flood-1", "flood-2", "flood-3", "flood-4")
    drop(globex, "late-1", "late-2")

    priorities = dict(Document.objects.values_list("name", "priority"))
    assert priorities["flood-1"] == 7
    assert priorities["flood-4"] == 8
    assert taken_in_order() == ["late-1", "late-2", "flood-1", "flood-2", "flood-3", "flood-4"]


def test_the_queue_page_shows_the_order_of_the_worker(acme: Client, globex: Client) -> None:
    set_priority("acme", 5)
    drop(acme, *(f"acme-{number}" for number in range(8)))
    drop(globex, *(f"globex-{number}" for number in range(8)))

    shown = list(Document.objects.in_worker_order().with_place())

    assert [document.place for document in shown] == list(range(1, 17))
    assert [document.name for document in shown] == taken_in_order()


def test_a_taken_document_is_processed_then_done(acme: Client) -> None:
    drop(acme, "a")

    document = queue.take_next()

    assert document is not None
    assert Document.objects.get().status == "processing"
    assert queue.take_next() is None
    queue.finish(document)
    stored = Document.objects.get()
    assert stored.status == "done"
    assert stored.dropped_at <= stored.started_at <= stored.finished_at


def test_a_document_that_is_put_back_keeps_its_place(acme: Client) -> None:
    drop(acme, "a", "b")
    document = queue.take_next()
    assert document is not None

    queue.put_back(document)

    assert taken_in_order() == ["a", "b"]


def test_what_a_worker_abandoned_is_queued_again(acme: Client) -> None:
    drop(acme, "a")
    queue.take_next()
    now = timezone.now()

    assert queue.put_back_abandoned(taken_before=now - timedelta(minutes=1)) == 0
    assert queue.put_back_abandoned(taken_before=now + timedelta(minutes=1)) == 1

    assert taken_in_order() == ["a"]
