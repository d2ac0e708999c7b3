"""What changes customers and documents, and keeps doc_priority's customers in step with them."""

import contextlib
from collections.abc import Mapping

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction

from doc_priority.exceptions import CustomerNotFound
from doc_priority.services import check_many, create_customer, forget, rename_customer
from doc_priority.types import Decision
from example_project.portal import engines
from example_project.portal.models import Client, Document

Status = Document.Status


def create_client(*, key: str, name: str, policy: str | None = None) -> Client:
    """A customer of the portal, and doc_priority's of the same key."""
    with transaction.atomic():
        client = Client.objects.create(key=key, name=name)
        create_customer(key, name=name, policy=policy)
    return client


def rename_client(client: Client, *, name: str) -> None:
    """Another name here and in doc_priority, where a customer that was deleted is made again."""
    with transaction.atomic():
        Client.objects.filter(pk=client.pk).update(name=name)
        try:
            rename_customer(client.key, name=name)
        except CustomerNotFound:
            create_customer(client.key, name=name)


def delete_client(client: Client, *, actor: User | AnonymousUser | None = None) -> None:
    """Remove the customer, its documents, and what doc_priority has of it."""
    with transaction.atomic():
        Client.objects.select_for_update().get(pk=client.pk).delete()
        with contextlib.suppress(CustomerNotFound):
            forget(client.key, actor=actor, source="portal")


def drop_documents(client: Client, *, names: Mapping[str, str]) -> list[Decision]:
    """Queue documents, each with the priority it gets; all of them or none.

    The names are by reference, which is the portal's id of a document. One that was submitted
    before is counted and queued no second time, and has no decision in the answer.
    """
    submitted = Document.objects.filter(client=client, reference__in=names)
    try:
        with transaction.atomic():
            # Under the lock the client cannot be deleted, and its customer made anew by the check.
            locked = Client.objects.select_for_update().get(pk=client.pk)
            known = set(submitted.values_list("reference", flat=True))
            new = [reference for reference in names if reference not in known]
            levels = engines.current().put(client.key, new)
            # Asked again about a document, it counts nothing and says what it said before.
            decisions = check_many([(client.key, reference) for reference in new])
            Document.objects.bulk_create(
                queued_document(locked, names[decision.document], decision, level)
                for decision, level in zip(decisions, levels, strict=True)
            )
    except engines.QueueDown:
        # They are in the database, and in no queue.
        submitted.filter(status=Status.QUEUED).delete()
        raise
    return decisions


def queued_document(client: Client, name: str, decision: Decision, level: int = 0) -> Document:
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


def try_again(document: Document) -> bool:
    """Queue a document that failed once more, as it was; whether it had failed.

    It was counted when it came, so it is not counted again and keeps its priority.
    """
    failed = Document.objects.filter(pk=document.pk, status=Status.FAILED)
    with transaction.atomic():
        had_failed = failed.update(status=Status.QUEUED, error="", started_at=None) == 1
        if had_failed:
            engines.current().put(document.client.key, [document.reference])
    return had_failed


def put_back_abandoned() -> int:
    """Queue again what a worker took and never finished; return how many. No worker may run."""
    engine = engines.current()
    with transaction.atomic():
        engine.put_back_abandoned()
        abandoned = Document.objects.filter(status=Status.PROCESSING).select_related("client")
        for document in abandoned:
            engine.put(document.client.key, [document.reference])
        return abandoned.update(status=Status.QUEUED, started_at=None)


def queue_all_that_waits() -> None:
    """Bring the queue into step with the documents that wait, whatever queue they were in."""
    engine = engines.current()
    engine.empty()
    with transaction.atomic():
        waiting = list(Document.objects.in_worker_order().order_by("pk").select_related("client"))
        for document in waiting:
            [document.level] = engine.put(document.client.key, [document.reference])
        Document.objects.bulk_update(waiting, ["level"], batch_size=200)
