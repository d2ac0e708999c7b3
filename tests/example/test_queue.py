"""The order in which a worker takes documents, and what happens to those it does not finish."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client as Browser
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from doc_priority.services import peek
from doc_priority.testing import set_priority
from example_project.portal import services
from example_project.portal.models import Client, Document
from example_project.portal.services import drop_documents
from example_project.portal.tasks import process_document

# The worker closes its connection between two tasks.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("example_project.urls"),
]

RunWorker = Callable[[], None]


def drop(client: Client, *names: str) -> None:
    drop_documents(client, names={name: name for name in names})


def done_in_order() -> list[str]:
    done = Document.objects.filter(status="done").order_by("started_at")
    return list(done.values_list("name", flat=True))


def test_the_worker_takes_the_best_priority_first_as_the_queue_page_shows(
    acme: Client, globex: Client, run_worker: RunWorker
) -> None:
    """Within 9, too, where the queue's numbers go on."""
    browser = Browser()
    browser.force_login(User.objects.create_superuser("root"))
    drop(acme, *(f"acme-{number}" for number in range(70)))
    drop(globex, *(f"globex-{number}" for number in range(30)))
    shown = [one for n in "12" for one in browser.get(f"/queue/?page={n}").context["page"]]
    assert [document.place for document in shown] == list(range(1, 101))
    assert [document.priority for document in shown] == sorted(d.priority for d in shown)
    names = [document.name for document in shown]
    assert names.index("globex-29") < names.index("acme-69")

    run_worker()

    assert names == done_in_order()


def test_what_a_killed_worker_left_waits_again_at_its_place(
    acme: Client, run_worker: RunWorker
) -> None:
    drop(acme, "a", "b")
    now = timezone.now()
    killed = DBTaskResult.objects.filter(args_kwargs__kwargs__reference="a")
    killed.update(status="RUNNING", started_at=now)
    Document.objects.filter(name="a").update(status="processing", started_at=now)

    process_document("acme", "a")  # another worker leaves it to whoever has it
    assert Document.objects.get(name="a").status == "processing"
    assert services.put_back_abandoned() == 1
    assert services.put_back_abandoned() == 0
    run_worker()

    assert done_in_order() == ["a", "b"]


def test_a_failed_document_says_why_and_tried_again_is_charged_nothing(
    acme: Client, run_worker: RunWorker
) -> None:
    set_priority("acme", 5)
    drop(acme, "unreadable.pdf", "b.pdf")
    run_worker()
    failed = Document.objects.get(status="failed")
    assert failed.error == "The document is unreadable. Scan it again and submit the new file."
    assert done_in_order() == ["b.pdf"]
    set_priority("acme", 9)
    before = peek("acme").pending_documents
    Document.objects.filter(pk=failed.pk).update(name="readable.pdf")

    assert services.try_again(Document.objects.get(pk=failed.pk))
    assert not services.try_again(Document.objects.get(pk=failed.pk))
    run_worker()

    failed.refresh_from_db()
    assert (failed.status, failed.priority, failed.error) == ("done", 5, "")
    assert peek("acme").pending_documents == before
