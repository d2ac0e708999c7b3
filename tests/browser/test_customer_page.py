"""The page of one customer says where it stands, why, and for how long."""

import re

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from selenium.webdriver.common.keys import Keys

from doc_priority import services
from doc_priority.models import Customer
from doc_priority.services import peek
from tests.admin.customers import pinned
from tests.browser.admin_page import CUSTOMER, AdminPage
from tests.browser.people import support
from tests.factories import now

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

STANDING = ".dp-standing-live"


@pytest.fixture
def acme() -> Customer:
    """14 documents, one after the other, and their names."""
    services.check_many([("acme", f"invoice-{number}") for number in range(14)])
    return Customer.objects.get()


@pytest.fixture
def maria() -> User:
    return support("maria")


def open_customer(admin: AdminPage, user: User, customer: Customer) -> None:
    admin.sign_in(user)
    admin.visit(CUSTOMER, customer.pk)


def fact(admin: AdminPage, name: str) -> str:
    texts = [one.text.split("\n") for one in admin.all(f"{STANDING} .dp-facts > div")]
    return dict(texts)[name]


def test_all_that_it_says_agrees(admin: AdminPage, maria: User, acme: Customer) -> None:
    open_customer(admin, maria, acme)
    decision = peek("acme")
    assert decision.resets_at is not None

    assert admin.one(f"{STANDING} .dp-badge").text == str(decision.priority) == "7"
    assert fact(admin, "Pending documents") == str(decision.pending_documents).replace("-", "−")
    assert abs(admin.countdown() - (decision.resets_at - now()).total_seconds()) < 5
    sentence = admin.one(f"{STANDING} .dp-sentence").text
    at = timezone.localtime(decision.resets_at)
    assert "acme from 1 to 7" in sentence
    # Tomorrow's times come with their date.
    assert re.search(rf"Without a new document it is back at 1 at (.*, )?{at:%H:%M}\.$", sentence)


def test_it_follows_what_happens(admin: AdminPage, maria: User, acme: Customer) -> None:
    open_customer(admin, maria, acme)
    admin.script("window.mark = 'as it was'")

    services.check_many(["acme"] * 2)

    admin.until(lambda: fact(admin, "Pending documents") == "−15", "It stays as it was.")
    assert admin.one(f"{STANDING} .dp-badge").text == "8"
    assert "from 1 to 8" in admin.one(f"{STANDING} .dp-sentence").text
    assert admin.script("return window.mark") == "as it was"


def test_it_says_when_the_customer_is_gone(admin: AdminPage, maria: User, acme: Customer) -> None:
    open_customer(admin, maria, acme)

    services.forget("acme")

    admin.says("The customer “acme” no longer exists: somebody deleted it.")
    assert admin.all(f"{STANDING} .dp-button, a[href$='/delete/']") == []
    assert not any(one.is_enabled() for one in admin.all("[name=name], [name=_save]"))
    admin.driver.refresh()
    admin.says("There is no such customer; perhaps somebody deleted it.")
    assert all("404" in one for one in admin.complaints())


def test_a_reset_needs_no_mouse(admin: AdminPage, maria: User, acme: Customer) -> None:
    open_customer(admin, maria, acme)

    admin.tab_to(f'a[href$="/reset/?customer={acme.pk}"]')
    assert admin.outline() >= 2
    admin.press(Keys.ENTER)
    admin.says("Reset priority?")
    admin.tab_to("#id_reason")
    assert admin.outline() >= 1
    admin.press("Sent twice by mistake")
    admin.tab_to(".dp-main")
    assert admin.outline() >= 2
    admin.press(Keys.ENTER)

    admin.says("1 customer was reset.")
    assert peek("acme").pending_documents == 0


SELECT = """
    const sentence = document.querySelector(".dp-sentence > :last-child");
    getSelection().selectAllChildren(sentence);
    return getSelection().toString();
"""


def test_what_is_selected_stays_so(admin: AdminPage, maria: User, acme: Customer) -> None:
    """Also where the server writes a character otherwise than the browser."""
    services.change_customer("acme", actor=maria, name="O'Brien & Söhne")
    open_customer(admin, maria, acme)
    selected = admin.script(SELECT)
    assert "O'Brien & Söhne from 1 to 7" in selected
    refreshed = admin.one(".dp-updated").text

    admin.let_seconds_pass(3)

    assert admin.one(".dp-updated").text != refreshed
    assert admin.script("return getSelection().toString()") == selected


LINES = """
    const word = document.createRange();
    word.selectNodeContents(document.querySelector(".dp-sentence .dp-note"));
    return word.getClientRects().length;
"""


def test_the_word_beside_the_badge_is_whole(admin: AdminPage, maria: User) -> None:
    acme = pinned(2, key="acme", name="Przedsiębiorstwo Wielobranżowe " * 6)
    open_customer(admin, maria, acme)

    assert admin.script(LINES) == 1
    admin.narrow()
    assert admin.script(LINES) == 1


@pytest.mark.plain
def test_a_theme_neither_squeezes_the_buttons_nor_the_tables(
    admin: AdminPage, maria: User, acme: Customer
) -> None:
    """What django-grappelli says of every button, and of what stands in a form."""
    open_customer(admin, maria, acme)
    for rule in ("button { width: 25px; margin-left: -25px }", "form > div { float: left }"):
        admin.script("document.styleSheets[0].insertRule(arguments[0], 0)", rule)

    assert admin.script(
        """
        const pause = document.querySelector(".dp-pause");
        const [before, after] = [pause.previousElementSibling, pause].map(
            (one) => one.getBoundingClientRect());
        return pause.scrollWidth <= pause.clientWidth && before.right <= after.left;
        """
    )
    assert admin.script(
        """
        const tables = document.querySelector(".dp-columns");
        return tables.clientWidth === tables.parentElement.clientWidth;
        """
    )
