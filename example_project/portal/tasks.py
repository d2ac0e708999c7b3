"""What a worker does with a document, and the Django task of it; its priority: settings.TASKS."""

import time
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from example_project.portal.models import Document

try:
    from django.tasks import task
except ImportError:  # Django before 6.0
    from django_tasks import task  # type: ignore[no-redef]  # there is one of them only

Status = Document.Status

GIVEN_UP_AFTER = timedelta(seconds=30)
"""Nothing takes that long: whoever took a document must have died."""

# Kept in English and shown in the language of whoever looks.
UNREADABLE = gettext_noop("The document is unreadable. Scan it again and submit the new file.")


@task()
def process(client_key: str, reference: str) -> None:
    """Process one document of a customer."""
    process_document(client_key, reference)


def process_document(client_key: str, reference: str) -> None:
    """Process the document once, however often a queue delivers it."""
    now = timezone.now()
    documents = Document.objects.filter(client__key=client_key, reference=reference)
    # One statement takes the document, so that only one worker has it.
    taken = documents.filter(
        Q(status__in=[Status.QUEUED, Status.FAILED])
        | Q(status=Status.PROCESSING, started_at__lt=now - GIVEN_UP_AFTER)
    ).update(status=Status.PROCESSING, started_at=now, finished_at=None, error="")
    if not taken:  # Another worker has it or did it, or the customer was deleted.
        return
    # Another worker that takes it meanwhile, because this one was too slow, has a start of its own.
    mine = documents.filter(status=Status.PROCESSING, started_at=now)
    try:
        # What a real portal has its workers for.
        time.sleep(getattr(settings, "PORTAL_SECONDS_PER_DOCUMENT", 0))
        if documents.get().name.startswith("unreadable"):
            raise ValueError(UNREADABLE)
    except Exception as error:
        mine.update(status=Status.FAILED, finished_at=timezone.now(), error=f"{error}")
        raise
    mine.update(status=Status.DONE, finished_at=timezone.now())
