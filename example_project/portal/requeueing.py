"""What goes into the queue again: what a worker left behind, what failed, what no queue holds."""

from datetime import timedelta
from itertools import groupby

from django.db import transaction
from django.utils import timezone

from example_project.portal.engines import current
from example_project.portal.models import Document

Status = Document.Status


def put_back_abandoned(*, older_than: timedelta) -> int:
    """Let wait again what a worker took so long ago and never finished; return how many."""
    engine = current()
    started = Document.objects.filter(
        status=Status.PROCESSING, started_at__lte=timezone.now() - older_than
    )
    with transaction.atomic():
        engine.put_back_abandoned(older_than=older_than)
        abandoned = list(started.select_for_update().select_related("client"))
        started.filter(pk__in=[document.pk for document in abandoned]).update(
            status=Status.QUEUED, started_at=None
        )
        for document in abandoned:
            engine.put(document.client.key, [document.reference])
    return len(abandoned)


def try_again(document: Document) -> bool:
    """Queue a document that failed once more, as it was; whether it had failed.

    It was counted when it was dropped, so it is not counted again and keeps its priority.
    """
    failed = Document.objects.filter(pk=document.pk, status=Status.FAILED)
    with transaction.atomic():
        is_failed = failed.update(status=Status.QUEUED, error="", started_at=None) == 1
        if is_failed:
            current().put(document.client.key, [document.reference])
    return is_failed


def queue_all_that_waits() -> None:
    """Bring the queue into step with the documents that wait, whatever queue they were in."""
    engine = current()
    engine.empty()
    with transaction.atomic():
        waiting = list(Document.objects.in_worker_order().order_by("pk").select_related("client"))
        for client, documents in groupby(waiting, key=lambda document: document.client):
            of_client = list(documents)
            references = [document.reference for document in of_client]
            for document, level in zip(of_client, engine.put(client.key, references), strict=True):
                document.level = level
        Document.objects.bulk_update(waiting, ["level"], batch_size=200)
