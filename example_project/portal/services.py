"""What changes clients and documents, and keeps doc_priority's customers in step with them."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction

from doc_priority.exceptions import CustomerNotFound
from doc_priority.services import check_many, create_customer, forget, rename_customer
from doc_priority.types import Decision
from example_project.portal.engines import QueueDown, current
from example_project.portal.models import Client, Document
from example_project.portal.querysets import DocumentQuerySet

SOURCE = "portal"
Actor = User | AnonymousUser | None


class File(NamedTuple):
    """A file somebody drops; the reference is the portal's id of the document."""

    reference: str
    name: str


@dataclass(frozen=True, slots=True)
class Drop:
    """What dropping files came to."""

    counted: tuple[Decision, ...]
    """The decisions on documents that had not been dropped before."""
    repeated: int


def create_client(*, key: str, name: str, policy: str | None = None) -> Client:
    """A client of the portal, and the customer of the same key."""
    with transaction.atomic():
        client = Client.objects.create(key=key, name=name)
        create_customer(key, name=name, policy=policy)
    return client


def rename_client(client: Client, *, name: str) -> None:
    """Another name for the client and its customer, which is made again if it was forgotten."""
    with transaction.atomic():
        Client.objects.filter(pk=client.pk).update(name=name)
        try:
            rename_customer(client.key, name=name)
        except CustomerNotFound:
            create_customer(client.key, name=name)


def delete_client(client: Client, *, actor: Actor = None, reason: str = "") -> None:
    """Remove the client and its documents, and forget the customer if that is not done yet."""
    with transaction.atomic():
        Client.objects.select_for_update().get(pk=client.pk).delete()
        with contextlib.suppress(CustomerNotFound):
            forget(client.key, actor=actor, reason=reason, source=SOURCE)


def drop_documents(client: Client, *, files: Sequence[File]) -> Drop:
    """Put the files into the queue, each with the priority it gets; all of them or none.

    Dropping the same references again counts nothing and queues nothing.
    """
    try:
        with transaction.atomic():
            # Under the lock the client cannot be deleted, and its customer made anew by the check.
            locked = Client.objects.select_for_update().get(pk=client.pk)
            new = _not_dropped_yet(locked, files)
            decisions = _queue(locked, new)
    except QueueDown:
        # They are in the database, and in no queue.
        _waiting(client, files).delete()
        raise
    return Drop(tuple(decisions), repeated=len(files) - len(new))


def queued_document(client: Client, *, name: str, decision: Decision, level: int) -> Document:
    """The row of a document that waits with what was decided for it; not stored yet."""
    return Document(
        client=client,
        reference=decision.document,
        name=name,
        priority=decision.priority,
        level=level,
        pending_documents=decision.pending_documents,
        pinned=decision.pinned,
        policy=decision.policy,
        dropped_at=decision.decided_at,
    )


def _queue(client: Client, files: Sequence[File]) -> list[Decision]:
    """Queue the documents and write them down with what was decided when they were queued."""
    levels = current().put(client.key, [file.reference for file in files])
    # Asked again about a document, it counts nothing and says what it said before.
    decisions = check_many([(client.key, file.reference) for file in files])
    Document.objects.bulk_create(
        queued_document(client, name=file.name, decision=decision, level=level)
        for file, decision, level in zip(files, decisions, levels, strict=True)
    )
    return decisions


def _not_dropped_yet(client: Client, files: Sequence[File]) -> list[File]:
    asked = {file.reference: file for file in files}
    known = Document.objects.filter(client=client, reference__in=asked)
    for reference in known.values_list("reference", flat=True):
        del asked[reference]
    return list(asked.values())


def _waiting(client: Client, files: Sequence[File]) -> DocumentQuerySet:
    references = [file.reference for file in files]
    return Document.objects.in_worker_order().filter(client=client, reference__in=references)
