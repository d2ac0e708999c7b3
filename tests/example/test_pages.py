"""What each page shows to whom, and that looking changes nothing."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.test import Client as Browser
from django.utils import timezone

from doc_priority.models import Counter, Customer, DocumentDecision, Event
from doc_priority.services import forget, pin
from doc_priority.testing import set_priority
from example_project.portal.models import Client, Document, Member
from example_project.portal.services import File, drop_documents
from example_project.portal.templatetags.moments import NO_BREAK, spoken

pytestmark = [pytest.mark.django_db, pytest.mark.urls("example_project.urls")]

SignIn = Callable[[str], Browser]

PAGES = ("/", "/clients/acme/", "/documents/", "/queue/")
ADMIN_PAGES = ("/new-client/", "/clients/acme/rename/", "/clients/acme/delete/")


def page(browser: Browser, address: str) -> str:
    response = browser.get(address)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def dropped(acme: Client, globex: Client) -> None:
    for client in (acme, globex):
        names = [f"{client.key}-{number}.pdf" for number in range(3)]
        drop_documents(client, files=[File(name, name) for name in names])


def test_a_stranger_is_told_what_this_is_and_sees_no_client(signed_in: SignIn) -> None:
    text = page(Browser(), "/")

    assert "Sign in" in text
    assert "Acme" not in text


@pytest.mark.parametrize("address", [*PAGES[1:], *ADMIN_PAGES])
def test_a_stranger_is_sent_to_the_login(signed_in: SignIn, address: str) -> None:
    response = Browser().get(address)

    assert response.status_code == 302
    assert response["Location"] == f"/login/?next={address}"


def test_signing_in_leads_to_the_start_page(signed_in: SignIn) -> None:
    response = Browser().post("/login/", {"username": "client", "password": "demo"})

    assert response["Location"] == "/"


@pytest.mark.parametrize("username", ["admin", "support", "viewer"])
def test_staff_see_every_client(signed_in: SignIn, dropped: None, username: str) -> None:
    browser = signed_in(username)

    for address in ("/", "/documents/", "/queue/"):
        text = page(browser, address)
        assert "Acme" in text
        assert "Globex" in text
    assert "globex-2.pdf" in page(browser, "/clients/globex/")


def test_a_client_sees_its_own_documents_only(signed_in: SignIn, dropped: None) -> None:
    browser = signed_in("client")

    for address in PAGES:
        text = page(browser, address)
        assert "Acme" in text
        assert "Globex" not in text
        assert "globex-" not in text
    assert browser.get("/clients/globex/").status_code == 404


def test_a_client_sees_its_places_in_the_whole_queue(signed_in: SignIn, dropped: None) -> None:
    set_priority("globex", 1)
    drop_documents(Client.objects.get(key="globex"), files=[File("first", "first.pdf")])

    places = signed_in("client").get("/queue/").context["page"].object_list

    assert [(document.name, document.priority, document.place) for document in places] == [
        ("acme-0.pdf", 1, 1),
        ("acme-1.pdf", 1, 2),
        ("acme-2.pdf", 1, 3),
    ]


@pytest.mark.parametrize("username", ["support", "viewer"])
def test_staff_without_the_permission_can_change_nothing(signed_in: SignIn, username: str) -> None:
    browser = signed_in(username)

    assert "Drop documents" not in page(browser, "/clients/acme/")
    drop = browser.post("/clients/acme/drop/", {"token": uuid4(), "number": 1})
    assert drop.status_code == 403
    for address in ADMIN_PAGES:
        assert browser.get(address).status_code == 403
        assert browser.post(address, {"name": "Other", "key": "other"}).status_code == 403
    assert not Document.objects.exists()
    assert set(Client.objects.values_list("name", flat=True)) == {"Acme", "Globex"}


def test_a_client_can_change_no_client(signed_in: SignIn) -> None:
    browser = signed_in("client")

    assert "New client" not in page(browser, "/")
    for address in ADMIN_PAGES:
        assert browser.post(address, {"name": "Other", "key": "other"}).status_code == 403
    assert set(Client.objects.values_list("name", flat=True)) == {"Acme", "Globex"}


def test_somebody_who_belongs_to_no_client_is_told_what_to_do(signed_in: SignIn) -> None:
    Member.objects.all().delete()

    assert "You belong to no client yet" in page(signed_in("client"), "/")


def test_nothing_changes_when_pages_are_looked_at(signed_in: SignIn, dropped: None) -> None:
    browser = signed_in("admin")
    before = stored()

    for address in [*PAGES, *ADMIN_PAGES, "/login/"]:
        browser.get(address)
    assert browser.get("/clients/acme/drop/").status_code == 405
    assert browser.get("/logout/").status_code == 405

    assert stored() == before


def stored() -> list[list[tuple[object, ...]]]:
    models = (Client, Document, Customer, Counter, DocumentDecision, Event)
    return [list(model.objects.order_by("pk").values_list()) for model in models]


@pytest.mark.parametrize("address", ["/clients/acme/drop/", "/new-client/", "/logout/", "/login/"])
def test_a_post_from_elsewhere_is_refused(signed_in: SignIn, address: str) -> None:
    signed_in("admin")
    browser = Browser(enforce_csrf_checks=True)
    browser.force_login(User.objects.get(username="admin"))

    assert browser.post(address, {"number": 1, "token": uuid4()}).status_code == 403
    assert not Document.objects.exists()


def test_the_worst_priority_comes_first(signed_in: SignIn) -> None:
    set_priority("globex", 8)

    rows = signed_in("viewer").get("/").context["clients"].rows

    assert [(row.client.key, row.standing.priority) for row in rows] == [
        ("globex", 8),
        ("acme", 1),
    ]


def test_the_list_can_be_searched_by_name_and_number(signed_in: SignIn) -> None:
    browser = signed_in("viewer")

    assert "Globex" not in page(browser, "/?search=acm")
    assert "No client has “nobody”" in page(browser, "/?search=nobody")


def test_a_forgotten_customer_leaves_its_client_in_the_list(signed_in: SignIn) -> None:
    forget("acme")
    browser = signed_in("viewer")

    assert "Acme" in page(browser, "/")
    assert "Nothing is counted at the moment" in page(browser, "/clients/acme/")


def test_a_pin_shows(signed_in: SignIn, dropped: None) -> None:
    end = Document.objects.newest_first()[0].dropped_at.replace(year=2100)
    pin("acme", priority=7, until=end)

    assert "The priority is set by hand until 2100-" in page(signed_in("viewer"), "/clients/acme/")
    pin("acme", priority=7, until=None)
    text = page(signed_in("viewer"), "/clients/acme/")
    assert "The priority is set by hand, without an end." in text


def test_documents_come_in_pages_and_by_status(signed_in: SignIn, acme: Client) -> None:
    names = [f"{number}.pdf" for number in range(60)]
    drop_documents(acme, files=[File(name, name) for name in names])
    browser = signed_in("viewer")

    assert len(browser.get("/documents/").context["page"].object_list) == 50
    assert len(browser.get("/documents/?page=2").context["page"].object_list) == 10
    assert "Page 2 of 2" in page(browser, "/clients/acme/?page=999")
    assert "No document has this status now." in page(browser, "/documents/?status=done")


def test_empty_pages_say_what_to_do(signed_in: SignIn) -> None:
    browser = signed_in("admin")

    assert "Choose a client and drop some" in page(browser, "/documents/")
    assert "Nothing waits" in page(browser, "/queue/")
    assert "Drop the first ones above." in page(browser, "/clients/acme/")


def test_what_is_not_there_has_a_page_too(signed_in: SignIn) -> None:
    response = signed_in("admin").get("/clients/nobody/")

    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


@pytest.mark.parametrize("address", ["/admin/portal/client/", "/admin/portal/document/"])
def test_the_admin_shows_clients_and_documents_to_be_read_only(
    signed_in: SignIn, dropped: None, address: str
) -> None:
    for username in ("admin", "support", "viewer"):
        browser = signed_in(username)
        assert "Acme" in page(browser, address)
        assert browser.get(f"{address}add/").status_code == 403


@pytest.mark.parametrize("address", ["/login/", "/admin/login/"])
def test_pages_name_an_icon_that_is_there(address: str) -> None:
    """Or the browser asks for one of its own that is not."""
    page = Browser().get(address).content.decode()
    assert f'<link rel="icon" href="{static("portal/icon.svg")}"' in page
    assert finders.find("portal/icon.svg")


def test_each_document_shows_how_far_it_has_come(signed_in: SignIn, acme: Client) -> None:
    now = timezone.now()
    drop_documents(acme, files=[File(name, name) for name in ("a", "b", "c", "d")])
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

    for address in ("/documents/", "/clients/acme/"):
        text = page(signed_in("viewer"), address).replace(NO_BREAK, " ")
        assert "waited 5.0 s, took 1.0 s" in text
        assert "waited 40 s" in text
        assert "No paper." in text
        assert "at place 1, for" in text
    text = page(signed_in("viewer"), "/clients/acme/")
    assert "1 document waits, at place 1 of the whole queue." in text
    assert "No paper." in page(signed_in("client"), "/documents/?status=failed")


def test_who_may_drop_may_try_again_what_failed(signed_in: SignIn, dropped: None) -> None:
    Document.objects.update(status="failed", error="No paper.")
    own = Document.objects.get(name="acme-1.pdf")
    other = Document.objects.get(name="globex-1.pdf")
    browser = signed_in("client")

    assert "Try again" not in page(signed_in("support"), "/clients/acme/")
    assert signed_in("support").post(f"/documents/{own.pk}/again/").status_code == 403
    assert browser.post(f"/documents/{other.pk}/again/").status_code == 404
    assert "Try again" in page(browser, "/clients/acme/")
    answer = browser.post(f"/documents/{own.pk}/again/", follow=True).content.decode()

    assert "acme-1.pdf waits again, with the priority it had." in answer
    assert Document.objects.get(status="queued") == own


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.6, "1 min 0 s"),
        (185, "3 min 5 s"),
        (7500, "2 h 5 min"),
    ],
)
def test_durations_are_as_precise_as_one_wants_to_know(seconds: float, words: str) -> None:
    assert spoken(timedelta(seconds=seconds)) == words.replace(" ", NO_BREAK)
