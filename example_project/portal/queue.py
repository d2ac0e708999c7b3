"""The queue a worker works through: the best priority first, among equals whoever came first."""

from datetime import datetime

from django.db import models, transaction
from django.utils import timezone

from example_project.portal.models import Document

Status = Document.Status


def take_next() -> Document | None:
    """The document to process now, marked as taken; None when nothing waits."""
    with transaction.atomic():
        queue = Document.objects.in_worker_order().select_related("client")
        document = queue.select_for_update(skip_locked=True, of=("self",)).first()
        if document is not None:
            document.status = Status.PROCESSING
            document.started_at = timezone.now()
            document.save(update_fields=["status", "started_at"])
    return document


def finish(document: Document) -> None:
    """The document is done."""
    _taken(document.pk).update(status=Status.DONE, finished_at=timezone.now())


def put_back(document: Document) -> None:
    """The document waits again, at its old place."""
    _taken(document.pk).update(status=Status.QUEUED, started_at=None)


def put_back_abandoned(*, taken_before: datetime) -> int:
    """Queue again what a worker took so long ago that it must have stopped; return how many."""
    taken = Document.objects.filter(status=Status.PROCESSING, started_at__lt=taken_before)
    return taken.update(status=Status.QUEUED, started_at=None)


def _taken(pk: int) -> models.QuerySet[Document]:
    return Document.objects.filter(pk=pk, status=Status.PROCESSING)
