"""Documents dropped through the pages: each counts once, all of a drop or none."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client as Browser

from doc_priority.models import Counter, DocumentDecision
from doc_priority.services import forget, peek
from example_project.portal.models import Client, Document
from example_project.portal.services import File, drop_documents

pytestmark = [pytest.mark.django_db, pytest.mark.urls("example_project.urls")]

SignIn = Callable[[str], Browser]


@pytest.fixture
def browser(signed_in: SignIn) -> Browser:
    return signed_in("client")


def drop(browser: Browser, key: str = "acme", **fields: object) -> HttpResponse:
    data = {"token": str(uuid4()), **fields}
    return browser.post(f"/clients/{key}/drop/", data, follow=True)


def test_one_document(browser: Browser) -> None:
    response = drop(browser, names="invoice.pdf")

    document = Document.objects.get()
    assert (document.name, document.status, document.priority) == ("invoice.pdf", "queued", 1)
    assert "1 document dropped, with priority 1." in response.content.decode()
    decision = DocumentDecision.objects.get(customer="acme", document=document.reference)
    assert decision.decided_at == document.dropped_at


def test_many_documents(browser: Browser) -> None:
    response = drop(browser, number=30)

    documents = Document.objects.order_by("pk")
    assert [document.pending_documents for document in documents] == list(range(0, -30, -1))
    assert documents[29].priority == 9
    assert peek("acme").pending_documents == -29
    text = response.content.decode()
    assert "30 documents dropped, with priorities from 1 to 9." in text
    assert "29 documents counted lately: priority 9." in text
    assert "The first document after a pause: the counter starts at 0." in text


def test_files_leave_their_names_and_nothing_else(browser: Browser) -> None:
    files = [SimpleUploadedFile(f"{name}.pdf", b"content" * 1000) for name in ("one", "two")]

    drop(browser, uploads=files)

    assert set(Document.objects.values_list("name", flat=True)) == {"one.pdf", "two.pdf"}


def test_the_same_form_sent_twice_counts_once(browser: Browser) -> None:
    form = {"token": str(uuid4()), "names": "one.pdf\ntwo.pdf\n\n"}
    drop(browser, **form)

    response = drop(browser, **form)

    assert Document.objects.count() == 2
    assert peek("acme").pending_documents == -1
    text = response.content.decode()
    assert "2 documents had been dropped before and were not counted again." in text


def test_the_form_changed_is_another_drop(browser: Browser) -> None:
    token = str(uuid4())
    drop(browser, token=token, number=2)

    drop(browser, token=token, number=3)

    assert Document.objects.count() == 5


def test_the_same_references_count_once(acme: Client) -> None:
    drop_documents(acme, files=[File("a", "a.pdf"), File("b", "b.pdf")])

    dropped = drop_documents(acme, files=[File("b", "b.pdf"), File("c", "c.pdf")])

    assert dropped.repeated == 1
    assert [decision.document for decision in dropped.counted] == ["c"]
    assert Document.objects.count() == 3
    assert peek("acme").pending_documents == -2


class OutOfPaperError(Exception):
    """Something after the drop fails."""


def drop_and_fail(client: Client) -> None:
    with transaction.atomic():
        drop_documents(client, files=[File("a", "a.pdf")])
        raise OutOfPaperError


def test_a_document_and_its_decision_are_written_together_or_not_at_all(acme: Client) -> None:
    with pytest.raises(OutOfPaperError):
        drop_and_fail(acme)

    assert not Document.objects.exists()
    assert not DocumentDecision.objects.exists()
    assert not Counter.objects.filter(updated_at__isnull=False).exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "Say how many documents to drop, or name them."),
        ({"number": 0}, "Ensure this value is greater than or equal to 1."),
        ({"number": 1001}, "Ensure this value is less than or equal to 1000."),
        ({"number": 999, "names": "a\nb"}, "Drop at most 1000 documents at once."),
        ({"names": "x" * 201}, "A name has at most 200 characters."),
        ({"number": 1, "token": "no token"}, "Enter a valid UUID."),
    ],
)
def test_a_refused_form_says_why(browser: Browser, fields: dict[str, object], message: str) -> None:
    response = drop(browser, **fields)

    assert response.status_code == 400
    assert message in response.content.decode()
    assert not Document.objects.exists()


def test_a_check_that_is_refused_drops_nothing(browser: Browser, settings: Any) -> None:
    forget("acme")
    settings.DOC_PRIORITY = {"CREATE_CUSTOMERS": False}

    response = drop(browser, number=2)

    assert response.status_code == 400
    assert "Nothing was dropped: " in response.content.decode()
    assert not Document.objects.exists()


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_a_busy_database_drops_nothing_and_says_so(browser: Browser) -> None:
    form = {"token": str(uuid4()), "number": 2}
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50")
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("BEGIN IMMEDIATE")
        response = drop(browser, **form)
        other.rollback()

    assert response.status_code == 503
    text = response.content.decode()
    assert "The database is busy; nothing was dropped. Send it again." in text
    assert form["token"] in text
    assert not Document.objects.exists()
    assert drop(browser, **form).status_code == 200
    assert Document.objects.count() == 2


def test_the_client_of_somebody_else_does_not_exist(browser: Browser) -> None:
    assert drop(browser, key="globex", number=1).status_code == 404
    assert not Document.objects.exists()


def test_the_explanation_names_the_policy_and_the_pin(acme: Client) -> None:
    plain = Document(priority=7, pending_documents=-13)
    contract = Document(priority=2, pending_documents=-1, policy="Contract")
    pinned = Document(priority=3, pending_documents=-40, pinned=True)

    assert plain.why == "13 documents counted lately: priority 7."
    assert contract.why == "1 document counted lately: priority 2 under “Contract”."
    assert pinned.why == "Priority 3 had been set by hand for this client."
