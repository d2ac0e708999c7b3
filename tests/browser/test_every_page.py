"""Every page can be used by everybody, on any screen, under a strict policy."""

import pytest
from django.contrib.auth.models import User

from doc_priority import services
from doc_priority.models import Customer
from tests.browser.accessibility import violations
from tests.browser.admin_page import AdminPage
from tests.browser.every_page import EMPTY, FILLED, Way, fill, to, to_correction, to_customer
from tests.browser.strict_policy import POLICY
from tests.factories import DocumentDecisionFactory

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

WIDTH_OF_A_TELEPHONE = 390


@pytest.fixture
def maria(admin: AdminPage) -> User:
    """Signed in."""
    maria = User.objects.create_superuser("maria")
    admin.sign_in(maria)
    return maria


def assert_everybody_can_use_it(admin: AdminPage) -> None:
    """In light and dark, and on a telephone without scrolling sideways."""
    wrong: list[str] = []
    for scheme in ("light", "dark"):
        admin.prefer(scheme)
        wrong += [f"{scheme}: {one}" for one in violations(admin)]
    admin.narrow()
    wrong += [f"too wide: {one}" for one in admin.wider_than(WIDTH_OF_A_TELEPHONE)]
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


@pytest.mark.parametrize("way", [pytest.param(way, id=name) for name, way in EMPTY.items()])
def test_everybody_can_use_a_page_with_nothing_on_it(
    admin: AdminPage, maria: User, way: Way
) -> None:
    way(admin)

    assert_everybody_can_use_it(admin)


@pytest.mark.parametrize("way", [pytest.param(way, id=name) for name, way in FILLED.items()])
def test_everybody_can_use_a_page(admin: AdminPage, maria: User, way: Way) -> None:
    fill(maria)

    way(admin)

    assert_everybody_can_use_it(admin)


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(to("customer_changelist"), id="list"),
        pytest.param(to_customer, id="customer"),
        pytest.param(to_correction("reset"), id="reset"),
    ],
)
def test_a_name_of_one_word_fits_a_telephone(admin: AdminPage, maria: User, way: Way) -> None:
    fill(maria)
    Customer.objects.filter(key="acme").update(name="W" * 200)

    way(admin)
    admin.narrow()

    assert "W" * 200 in admin.contents("#content, #main")
    assert admin.wider_than(WIDTH_OF_A_TELEPHONE) == []


CUT = """
    const cut = [];
    for (const box of document.querySelectorAll(".dp-panel, .dp-scroll")) {
      if (box.scrollWidth > box.clientWidth) cut.push(`${box.className} must be scrolled`);
    }
    for (const cell of document.querySelectorAll(".dp-panel :is(th, td, dd)")) {
      const { right } = cell.closest(".dp-panel").getBoundingClientRect();
      if (cell.getBoundingClientRect().right > right) cut.push(cell.textContent.trim());
    }
    return cut;
"""
WIDTHS = (1024, 1120, 1200, *range(1240, 1461, 10), 1500, 1520, 1600, 1920)


@pytest.mark.parametrize("language", ["en", "pl", "de", "es", "pt"])
def test_no_number_is_cut_in_a_window_of_any_width(
    admin: AdminPage, maria: User, language: str
) -> None:
    fill(maria)
    acme = Customer.objects.get(key="acme")
    for number in range(10):
        name = f"doc-{number:032x}"
        DocumentDecisionFactory.create(customer=acme, document=name, pending_documents=-1_121)
    services.check_many(["C1009"] * 1_000)
    admin.speak(language)

    for way in (to_customer, to("dashboard")):
        way(admin)
        for width in WIDTHS:
            admin.widen(width)
            assert (width, admin.script(CUT)) == (width, [])


@pytest.mark.plain
def test_the_policy_is_strict(admin: AdminPage, maria: User) -> None:
    """Else no complaint of the browser would say nothing."""
    FILLED["new customer"](admin)
    fetched = """
        const done = arguments[0];
        fetch(location).then((response) => done(response.headers.get("Content-Security-Policy")));
    """
    assert admin.driver.execute_async_script(fetched) == POLICY

    admin.script("document.body.setAttribute('style', 'color: red')")

    assert "Content Security Policy" in " ".join(admin.complaints())


def test_what_is_wrong_is_noticed(admin: AdminPage, maria: User) -> None:
    """Else the other tests would say nothing."""
    FILLED["new customer"](admin)
    assert violations(admin) == []

    admin.script(
        """
        const wide = document.createElement("canvas");
        wide.width = 500;
        document.querySelector("#content").append(wide, new Image(1, 1));
        """
    )
    admin.narrow()

    assert "image-alt" in {one.rule for one in violations(admin)}
    assert "canvas.#" in admin.wider_than(WIDTH_OF_A_TELEPHONE)
