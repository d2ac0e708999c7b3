"""What a worker does with a document: it takes it, reads it, and says how it went."""

import time
from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_noop

from example_project.portal.models import Document

Status = Document.Status

GIVEN_UP_AFTER = timedelta(seconds=30)
"""Nothing takes that long: whoever took a document must have died."""


UNREADABLE = gettext_noop("It cannot be read. Scan it again and drop the new file.")
"""Kept in English and shown in the language of whoever looks."""


class UnreadableDocument(Exception):  # noqa: N818 - says what happened
    """The document is of no use as it is."""


def process_document(client_key: str, reference: str) -> None:
    """Process the document once, however often a queue delivers it."""
    document = _take(client_key, reference)
    if document is None:
        return
    try:
        _read(document)
    except Exception as error:
        _close(document, Status.FAILED, error=f"{error}")
        raise
    _close(document, Status.DONE)


def _take(client_key: str, reference: str) -> Document | None:
    """The document, marked as started by one statement, so that only one worker has it.

    None where another one has it or is done with it, or where its client was deleted.
    """
    now = timezone.now()
    documents = Document.objects.filter(client__key=client_key, reference=reference)
    taken = documents.to_be_taken(given_up_before=now - GIVEN_UP_AFTER).update(
        status=Status.PROCESSING, started_at=now, finished_at=None, error=""
    )
    return documents.get() if taken else None


def _read(document: Document) -> None:
    """What a real portal has its workers for."""
    time.sleep(getattr(settings, "PORTAL_SECONDS_PER_DOCUMENT", 0))
    if document.name.startswith("unreadable"):
        raise UnreadableDocument(UNREADABLE)


def _close(document: Document, status: Status, *, error: str = "") -> None:
    """The end of a document, unless somebody else has taken it meanwhile."""
    mine = Document.objects.filter(
        pk=document.pk, status=Status.PROCESSING, started_at=document.started_at
    )
    mine.update(status=status, finished_at=timezone.now(), error=error)
