"""The order in which a worker takes documents, and what happens to those it does not finish."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from doc_priority.models import DocumentDecision
from doc_priority.services import peek
from doc_priority.testing import set_priority
from example_project.portal import requeueing, selectors
from example_project.portal.models import Client, Document
from example_project.portal.processing import process_document
from example_project.portal.services import File, delete_client, drop_documents

# The worker closes its connection between two tasks.
pytestmark = pytest.mark.django_db(transaction=True)

RunWorker = Callable[..., None]
MINUTE = timedelta(minutes=1)


def drop(client: Client, *names: str) -> None:
    drop_documents(client, files=[File(name, name) for name in names])


def done_in_order() -> list[str]:
    done = Document.objects.filter(status="done").order_by("started_at")
    return list(done.values_list("name", flat=True))


def stored(name: str) -> Document:
    return Document.objects.get(name=name)


def killed_in_the_middle(name: str) -> None:
    """What a worker leaves behind that took a document and was killed."""
    now = timezone.now()
    DBTaskResult.objects.filter(args_kwargs__kwargs__reference=name).update(
        status="RUNNING", started_at=now
    )
    Document.objects.filter(name=name).update(status="processing", started_at=now)


def test_the_best_priority_first_and_among_equals_whoever_came_first(
    acme: Client, globex: Client, run_worker: RunWorker
) -> None:
    set_priority("acme", 7)
    drop(acme, "flood-1", "flood-2", "flood-3", "flood-4")
    drop(globex, "late-1", "late-2")
    assert [stored(f"flood-{number}").priority for number in (1, 4)] == [7, 8]

    run_worker()

    assert done_in_order() == ["late-1", "late-2", "flood-1", "flood-2", "flood-3", "flood-4"]


def test_the_queue_page_shows_the_order_of_the_worker(
    acme: Client, globex: Client, run_worker: RunWorker
) -> None:
    """Within 9, too, where the queue's numbers go on."""
    admin = User.objects.create_superuser("root")
    drop(acme, *(f"acme-{number}" for number in range(70)))
    drop(globex, *(f"globex-{number}" for number in range(30)))
    pages = [selectors.queue_page(admin, number=number) for number in ("1", "2")]
    shown = [document for page in pages for document in page]
    assert [document.place for document in shown] == list(range(1, 101))
    assert [document.priority for document in shown] == sorted(d.priority for d in shown)
    names = [document.name for document in shown]
    assert names.index("globex-29") < names.index("acme-69")

    run_worker()

    assert names == done_in_order()


def test_it_is_taken_then_done(acme: Client, run_worker: RunWorker) -> None:
    drop(acme, "a")
    assert stored("a").status == "queued"

    run_worker()

    document = stored("a")
    assert document.status == "done"
    assert document.dropped_at <= document.started_at <= document.finished_at
    assert document.waited == document.started_at - document.dropped_at
    assert document.took == document.finished_at - document.started_at


def test_a_document_delivered_twice_is_processed_once(acme: Client) -> None:
    drop(acme, "a")
    process_document("acme", "a")
    first = stored("a")

    process_document("acme", "a")

    assert first.status == "done"
    assert stored("a").finished_at == first.finished_at


def test_what_another_worker_has_is_left_to_it(acme: Client) -> None:
    drop(acme, "a")
    killed_in_the_middle("a")

    process_document("acme", "a")

    assert stored("a").status == "processing"


def test_what_somebody_took_long_ago_is_taken_over(acme: Client) -> None:
    drop(acme, "a")
    Document.objects.update(status="processing", started_at=timezone.now() - MINUTE)

    process_document("acme", "a")

    assert stored("a").status == "done"


def test_what_a_killed_worker_left_waits_again_at_its_place(
    acme: Client, run_worker: RunWorker
) -> None:
    drop(acme, "a", "b")
    killed_in_the_middle("a")

    assert requeueing.put_back_abandoned(older_than=MINUTE) == 0
    assert requeueing.put_back_abandoned(older_than=timedelta()) == 1

    run_worker()
    assert done_in_order() == ["a", "b"]


def test_a_document_that_fails_shows_why_and_stops_nobody(
    acme: Client, run_worker: RunWorker
) -> None:
    drop(acme, "unreadable.pdf", "b.pdf")

    run_worker()

    failed = stored("unreadable.pdf")
    assert failed.status == "failed"
    assert failed.error == "It cannot be read. Scan it again and drop the new file."
    assert DBTaskResult.objects.failed().count() == 1
    assert done_in_order() == ["b.pdf"]


def test_a_failed_document_tried_again_is_charged_nothing_and_keeps_its_priority(
    acme: Client, run_worker: RunWorker
) -> None:
    set_priority("acme", 5)
    drop(acme, "unreadable.pdf")
    run_worker()
    set_priority("acme", 9)
    before = peek("acme").pending_documents
    Document.objects.update(name="readable.pdf")

    assert requeueing.try_again(Document.objects.get())
    assert not requeueing.try_again(Document.objects.get())
    assert stored("readable.pdf").status == "queued"
    run_worker()

    document = stored("readable.pdf")
    assert (document.status, document.priority, document.error) == ("done", 5, "")
    assert peek("acme").pending_documents == before


def test_what_a_deleted_client_had_in_the_queue_is_nobodys_failure(
    acme: Client, run_worker: RunWorker
) -> None:
    drop(acme, "a")
    delete_client(acme)

    run_worker()

    assert DBTaskResult.objects.successful().count() == 1


def test_documents_that_are_in_no_queue_get_there_once(
    acme: Client, globex: Client, run_worker: RunWorker
) -> None:
    drop(acme, "a", "b")
    drop(globex, "c")
    places = list(Document.objects.in_worker_order().values_list("name", "level"))
    DBTaskResult.objects.filter(args_kwargs__kwargs__reference="a").delete()
    Document.objects.update(level=0)

    requeueing.queue_all_that_waits()
    requeueing.queue_all_that_waits()

    assert list(Document.objects.in_worker_order().values_list("name", "level")) == places
    assert DBTaskResult.objects.count() == 3
    assert DocumentDecision.objects.count() == 3
    run_worker()
    assert Document.objects.filter(status="done").count() == 3
