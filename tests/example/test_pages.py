"""What each page of the portal shows to whom, and what a form there does."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client as Browser
from django.utils import timezone, translation

from doc_priority.models import Customer, Event
from doc_priority.services import create_customer, forget, peek
from doc_priority.testing import set_priority
from example_project.portal.models import Client, Document, Member
from example_project.portal.services import drop_documents
from example_project.portal.templatetags.formats import NO_BREAK, clock, moment, spoken
from tests.databases import everything_stored
from tests.example.conftest import SignIn

pytestmark = [pytest.mark.django_db, pytest.mark.urls("example_project.urls")]

PAGES = ("/", "/clients/acme/", "/documents/", "/queue/")
ADMIN_PAGES = ("/new-client/", "/clients/acme/rename/", "/clients/acme/delete/")


def page(browser: Browser, address: str) -> str:
    response = browser.get(address)
    assert response.status_code == 200
    return response.content.decode()


def drop(browser: Browser, key: str = "acme", **fields: object) -> HttpResponse:
    data = {"token": str(uuid4()), **fields}
    return browser.post(f"/clients/{key}/drop/", data, follow=True)


@pytest.fixture
def dropped(acme: Client, globex: Client) -> None:
    for client in (acme, globex):
        names = [f"{client.key}-{number}.pdf" for number in range(3)]
        drop_documents(client, names={name: name for name in names})


def test_a_stranger_sees_no_client_and_is_sent_to_the_login(signed_in: SignIn) -> None:
    text = page(Browser(), "/")
    assert "Sign in" in text
    assert "Acme" not in text
    for address in (*PAGES[1:], *ADMIN_PAGES):
        assert Browser().get(address)["Location"] == f"/login/?next={address}"

    signed = Browser().post("/login/", {"username": "client", "password": "demo"})

    assert signed["Location"] == "/"


def test_a_client_sees_its_own_documents_and_their_places_in_the_whole_queue(
    signed_in: SignIn, dropped: None, globex: Client
) -> None:
    set_priority("globex", 1)
    drop_documents(globex, names={"first": "first.pdf"})
    browser = signed_in("client")

    for address in PAGES:
        text = page(browser, address)
        assert "Acme" in text
        assert "Globex" not in text
        assert "globex-" not in text
    assert browser.get("/clients/globex/").status_code == 404
    assert drop(browser, key="globex", number=1).status_code == 404
    queue = browser.get("/queue/").context["page"].object_list
    assert [(one.name, one.priority, one.place) for one in queue] == [
        ("acme-0.pdf", 1, 1),
        ("acme-1.pdf", 1, 2),
        ("acme-2.pdf", 1, 3),
    ]


@pytest.mark.parametrize("username", ["support", "viewer", "client"])
def test_staff_see_every_client_and_without_a_permission_nobody_changes_one(
    signed_in: SignIn, username: str
) -> None:
    browser = signed_in(username)
    for address in ADMIN_PAGES:
        assert browser.get(address).status_code == 403
        assert browser.post(address, {"name": "Other", "key": "other"}).status_code == 403
    if username != "client":
        for address in ("/", "/clients/globex/", "/admin/portal/client/"):
            assert "Globex" in page(browser, address)
        assert "Submit documents" not in page(browser, "/clients/acme/")
        assert drop(browser, number=1).status_code == 403
    assert not Document.objects.exists()
    assert set(Client.objects.values_list("name", flat=True)) == {"Acme", "Globex"}


def test_looking_changes_nothing_nor_does_a_post_from_elsewhere(
    signed_in: SignIn, dropped: None
) -> None:
    before = everything_stored("doc_priority", "portal")
    browser = signed_in("admin")
    for address in (*PAGES, *ADMIN_PAGES):
        page(browser, address)
    for address in ("/clients/acme/drop/", "/logout/"):
        assert browser.get(address).status_code == 405
    elsewhere = Browser(enforce_csrf_checks=True)
    elsewhere.force_login(User.objects.get(username="admin"))
    for address in ("/clients/acme/drop/", "/new-client/", "/logout/", "/login/"):
        assert elsewhere.post(address, {"number": 1, "token": uuid4()}).status_code == 403
    assert everything_stored("doc_priority", "portal") == before


def test_a_page_that_has_nothing_to_show_says_what_to_do(signed_in: SignIn) -> None:
    browser = signed_in("admin")
    assert "Choose a customer and submit documents" in page(browser, "/documents/")
    assert "Nothing is waiting." in page(browser, "/queue/")
    assert "Submit the first ones above." in page(browser, "/clients/acme/")
    missing = browser.get("/clients/nobody/")
    assert missing.status_code == 404
    assert "Page not found" in missing.content.decode()
    Member.objects.all().delete()
    assert "You are not assigned to a customer yet" in page(signed_in("client"), "/")
    forget("acme")
    assert "Nothing sent lately" in page(browser, "/clients/acme/")


def test_documents_come_in_pages_and_show_how_far_they_have_come(
    signed_in: SignIn, acme: Client
) -> None:
    names = ["a", "b", "c", "d", *(str(number) for number in range(56))]
    drop_documents(acme, names={name: name for name in names})
    now = timezone.now()
    for name, status, started, finished, error in (
        ("a", "done", 65, 64, ""),
        ("b", "processing", 30, None, ""),
        ("c", "failed", 65, 64, "No paper."),
    ):
        Document.objects.filter(name=name).update(
            status=status,
            dropped_at=now - timedelta(seconds=70),
            started_at=now - timedelta(seconds=started),
            finished_at=finished and now - timedelta(seconds=finished),
            error=error,
        )
    browser = signed_in("viewer")

    assert len(browser.get("/documents/").context["page"].object_list) == 50
    assert len(browser.get("/documents/?page=2").context["page"].object_list) == 10
    text = page(browser, "/clients/acme/?page=999").replace(NO_BREAK, " ")
    assert "Page 2 of 2" in text
    assert "waited 5.0 s, processed in 1.0 s" in text
    assert "waited: 40.0 s" in text
    assert "57 documents are waiting, the first at place 1 in the queue." in text
    assert "No paper." in page(signed_in("client"), "/documents/?status=failed")


def test_dropped_documents_are_counted_and_explained(signed_in: SignIn) -> None:
    browser = signed_in("client")
    one = drop(browser, names="invoice.pdf").content.decode()
    many = drop(browser, number=30).content.decode()
    files = [SimpleUploadedFile(f"{name}.pdf", b"content" * 1000) for name in ("one", "two")]
    drop(browser, uploads=files)

    assert "1 document received, priority 1." in one
    assert "30 documents received, priority 1–9." in many
    assert "29 documents sent before it: priority 9." in many
    assert "First document after a pause: the counter was at 0." in many
    documents = Document.objects.order_by("pk")
    assert [document.pending_documents for document in documents] == list(range(0, -33, -1))
    assert {"invoice.pdf", "one.pdf", "two.pdf"} < {document.name for document in documents}
    assert peek("acme").pending_documents == -32


def test_the_same_form_sent_twice_counts_once_and_a_changed_one_is_another(
    signed_in: SignIn,
) -> None:
    browser, form = signed_in("client"), {"token": str(uuid4()), "names": "one.pdf\ntwo.pdf\n\n"}
    drop(browser, **form)
    again = drop(browser, **form).content.decode()
    assert "2 documents were already submitted and were not counted again." in again
    assert (Document.objects.count(), peek("acme").pending_documents) == (2, -1)

    drop(browser, token=form["token"], number=3)

    assert Document.objects.count() == 5


def test_a_refused_form_says_why_and_drops_nothing(signed_in: SignIn, settings: Any) -> None:
    browser = signed_in("client")
    for fields, message in (
        ({}, "Enter the number of documents or their names."),
        ({"number": 0}, "Ensure this value is greater than or equal to 1."),
        ({"number": 1001}, "Ensure this value is less than or equal to 1000."),
        ({"number": 999, "names": "a\nb"}, "Submit at most 1000 documents at a time."),
        ({"names": "x" * 201}, "A name can have at most 200 characters."),
        ({"number": 1, "token": "no token"}, "Enter a valid UUID."),
    ):
        response = drop(browser, **fields)
        assert response.status_code == 400
        assert message in response.content.decode()
    forget("acme")
    settings.DOC_PRIORITY = {"CREATE_CUSTOMERS": False}
    assert "No documents were received: " in drop(browser, number=2).content.decode()
    assert not Document.objects.exists()


def test_who_may_drop_may_try_again_what_failed(signed_in: SignIn, dropped: None) -> None:
    Document.objects.update(status="failed", error="No paper.")
    own = Document.objects.get(name="acme-1.pdf")
    other = Document.objects.get(name="globex-1.pdf")
    browser, support = signed_in("client"), signed_in("support")

    assert "Try again" not in page(support, "/clients/acme/")
    assert support.post(f"/documents/{own.pk}/again/").status_code == 403
    assert browser.post(f"/documents/{other.pk}/again/").status_code == 404
    assert "Try again" in page(browser, "/clients/acme/")
    answer = browser.post(f"/documents/{own.pk}/again/", follow=True).content.decode()

    assert "acme-1.pdf is waiting again, with the same priority." in answer
    assert Document.objects.get(status="queued") == own


def test_a_client_is_made_renamed_and_deleted_with_its_customer(signed_in: SignIn) -> None:
    browser = signed_in("admin")
    create_customer("taken")
    for key, message in (
        ("acme", "Customer with this Customer ID already exists."),
        ("a b", "Use letters, digits and hyphens only."),
        ("taken", "This ID is already in use. Choose another."),
    ):
        refused = browser.post("/new-client/", {"key": key, "name": "Initech"})
        assert message in refused.content.decode()

    made = browser.post("/new-client/", {"key": "initech", "name": "Initech"})
    assert made["Location"] == "/clients/initech/"
    renamed = browser.post("/clients/initech/rename/", {"name": "Initrode"}, follow=True)
    assert "Renamed to Initrode." in renamed.content.decode()
    assert Customer.objects.get(key="initech").name == "Initrode"
    deleted = browser.post("/clients/initech/delete/", follow=True)
    assert "Initrode was deleted." in deleted.content.decode()
    assert not Customer.objects.filter(key="initech").exists()
    assert Event.objects.get().actor == "admin"


@pytest.mark.parametrize(
    ("language", "clients", "when", "took"),
    [
        ("en", "Customers", "2100-02-03 14:05", "1.5 s"),
        ("es", "Clientes", "03/02/2100 14:05", "1,5 s"),
        ("pl", "Klienci", "03.02.2100 14:05", "1,5 s"),
        ("pt", "Clientes", "03/02/2100 14:05", "1,5 s"),
        ("de", "Kunden", "03.02.2100 14:05", "1,5 s"),
    ],
)
def test_the_portal_speaks_the_language_one_chooses_or_the_browser_asks_for(
    signed_in: SignIn, language: str, clients: str, when: str, took: str
) -> None:
    browser = signed_in("admin")
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = f"{language}-XX, en;q=0.5"
    assert f"<h1>{clients}</h1>" in page(browser, "/")
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"

    chosen = browser.post("/language/", {"language": language, "next": "/queue/"})

    assert chosen["Location"] == "/queue/"
    text = page(browser, "/")
    assert f'<html lang="{language}">' in text
    assert f"<h1>{clients}</h1>" in text
    assert f'<option value="{language}" lang="{language}" selected>' in text
    elsewhere = {"language": language, "next": "https://example.com/"}
    assert browser.post("/language/", elsewhere)["Location"] == "/"
    with translation.override(language):
        assert moment(datetime(2100, 2, 3, 14, 5, tzinfo=UTC)) == when
        assert spoken(timedelta(seconds=1.5)) == took.replace(" ", NO_BREAK)


def test_a_time_has_its_date_on_another_day_than_today(settings: Any) -> None:
    settings.TIME_ZONE = "UTC"
    assert clock(timezone.now().replace(hour=1, minute=5)) == "01:05"
    assert clock(datetime(2100, 2, 3, 14, 5, tzinfo=UTC)) == "2100-02-03 14:05"


def test_a_duration_has_the_unit_that_fits_it() -> None:
    for seconds, said, in_polish in (
        (0.04, "0.0 s", "0,0 s"),
        (9.94, "9.9 s", "9,9 s"),
        (59.7, "1 min", "1 min"),
        (110, "1 min 50 s", "1 min 50 s"),
        (7500, "2 h 5 min", "2 h 5 min"),
        (3 * 86400 + 4 * 3600, "76 h", "76 h"),
    ):
        duration = timedelta(seconds=seconds)
        assert spoken(duration) == said.replace(" ", NO_BREAK)
        with translation.override("pl"):
            assert spoken(duration) == in_polish.replace(" ", NO_BREAK)
