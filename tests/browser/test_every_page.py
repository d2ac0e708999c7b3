"""Every page of the admin can be used by everybody, on any screen, under a strict policy."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from selenium_axe_python import Axe

from doc_priority import services
from doc_priority.models import Customer, Event, Policy
from tests.admin.customers import at_priority, at_rest, pinned
from tests.browser.page import LIST, Page
from tests.browser.site import POLICY
from tests.factories import CustomerFactory, DocumentDecisionFactory, PolicyFactory, now

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

Way = Callable[[Page], None]

TELEPHONE = 390
LONG_NAME = "Przedsiębiorstwo Wielobranżowe Sosnobrzeg i Wspólnicy spółka z ograniczoną " * 2
NAMES = ("Aldermoor Freight Ltd", "شركة النور للنقل", "Ahrensbeck <b>Logistik</b> GmbH", LONG_NAME)

THEIRS = [
    # Django's: the links of the path differ from its text by their colour alone; the label of the
    # search is a picture.
    ("link-in-text-block", ".breadcrumbs a"),
    ("label-title-only", "#searchbar"),
]
"""Rules of axe and the elements that may break them: none of them is ours."""
if apps.is_installed("unfold"):
    THEIRS += [
        # Its frame has no main landmark, so that all a page has is outside of the landmarks.
        ("landmark-one-main", "html"),
        ("region", "*"),
        # White on its bar of actions; its scroll bars in the sidebar.
        ("color-contrast", "#changelist-actions *"),
        ("landmark-unique", ".simplebar-content-wrapper"),
    ]


def violations(admin: Page) -> list[dict[str, Any]]:
    """What axe-core finds on the page: rule, element and why."""
    Axe(admin.driver).inject()
    return admin.driver.execute_async_script(
        """
        const [theirs, done] = arguments;
        const isTheirs = (rule, target) => theirs.some(
          ([of, selector]) => of === rule && document.querySelector(target).matches(selector)
        );
        const told = ({ id, nodes }) => nodes
          .filter(({ target }) => !isTheirs(id, target[0]))
          .map(({ target, html, any, all, none }) => ({
            rule: id, target: target[0], html: html.slice(0, 300),
            why: [...any, ...all, ...none].map((one) => one.message).join(" "),
          }));
        // A colour on its way to another one is neither.
        const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
        // Without preloading: axe would write styles into the page, which a strict policy forbids.
        Promise.allSettled(transitions.map((one) => one.finished))
          .then(() => axe.run(document, { resultTypes: ["violations"], preload: false }))
          .then(({ violations }) => done(violations.flatMap(told)));
        """,
        THEIRS,
    )


def wider_than(admin: Page, width: int) -> list[str]:
    """What sticks out of a page that has to be scrolled sideways."""
    return admin.script(
        """
        const [width] = arguments;
        const all = document.documentElement.scrollWidth;
        if (all <= width) return [];
        const name = (one) => `${one.localName}.${one.className}#${one.id}`;
        const sticksOut = (one) => one.getBoundingClientRect().right > width;
        const found = [...document.querySelectorAll("body *")].filter(sticksOut);
        return [`${all} pixels`, ...found.slice(0, 12).map(name)];
        """,
        width,
    )


@pytest.fixture
def filled(admin: Page, root: User) -> None:
    """Customers at every priority, and a history of the one whose key is `acme`."""
    PolicyFactory.create(name="Contract", recovery="halving")
    for priority in range(1, 10):
        at_priority(priority, key=f"C100{priority}", name=NAMES[priority % len(NAMES)])
    at_rest(key="rest", name="Elmstow Timber Ltd")
    pinned(2, key="C2001", name="Falkenrode Druck GmbH")
    CustomerFactory.create(key="C2002", name="Inkersall", policy=Policy.objects.get())
    acme = at_priority(7, key="acme", name="Acme GmbH")
    for hours in range(1, 20, 3):
        moment = now() - timedelta(hours=hours)
        DocumentDecisionFactory.create(customer=acme, decided_at=moment, priority=hours % 9 + 1)
    services.pin("acme", priority=3, until=now() + timedelta(hours=1), actor=root, reason="Audit")
    services.reset("acme", actor=root, reason="Sent twice by mistake", source="admin")
    services.unpin("acme", actor=root, reason="Audit is over")


def to(name: str, **query: object) -> Way:
    return lambda admin: admin.visit(f"doc_priority_{name}", **query)


def to_one(name: str, model: type[Customer | Policy | Event], **which: object) -> Way:
    return lambda admin: admin.visit(f"doc_priority_{name}", model.objects.filter(**which)[0].pk)


def to_correction(name: str, *keys: str) -> Way:
    def way(admin: Page) -> None:
        customers = Customer.objects.filter(key__in=keys or ("acme",))
        pks = ",".join(str(customer.pk) for customer in customers)
        admin.visit(f"doc_priority_customer_{name}", customer=pks)

    return way


def to_customer(admin: Page) -> None:
    to_one("customer_change", Customer, key="acme")(admin)
    admin.click("summary")


def to_mistake(admin: Page) -> None:
    """A reason of spaces passes the browser, and the server says what is wrong."""
    to_correction("pin")(admin)
    admin.click("#id_priority option:last-child")
    admin.send_reason("   ")
    admin.one(".dp-error")


def to_what_somebody_did_meanwhile(admin: Page) -> None:
    to_correction("reset")(admin)
    services.reset("acme", actor="jonas", reason="Asked on the phone")
    admin.send_reason("Sent twice")
    admin.one(".dp-warning")


def to_success(admin: Page) -> None:
    to_correction("reset")(admin)
    admin.send_reason("Sent twice")
    admin.says("1 customer was reset.")


def to_ticked_list(admin: Page) -> None:
    admin.visit(LIST)
    admin.tick(*Customer.objects.filter(key__in=("acme", "C2001")))


def to_mistaken_policy(admin: Page) -> None:
    admin.visit("doc_priority_policy_add")
    admin.type("#id_name", "Wrong")
    admin.one("#id_threshold_3").clear()
    admin.type("#id_threshold_3", "-1")
    admin.click("[name=_save]")
    admin.one("#id_threshold_3[aria-invalid=true]")


def to_policy_deletion(admin: Page) -> None:
    Customer.objects.update(policy=None)
    to_one("policy_delete", Policy)(admin)


def to_rule_of(recovery: str) -> Way:
    def way(admin: Page) -> None:
        Policy.objects.update(recovery=recovery)
        admin.visit("doc_priority_rule", policy="Contract")

    return way


EMPTY: dict[str, Way] = {
    "list without customers": to("customer_changelist"),
    "dashboard without customers": to("dashboard"),
    "list without policies": to("policy_changelist"),
    "list without events": to("event_changelist"),
}
FILLED: dict[str, Way] = {
    "list": to_ticked_list,
    "list in which nobody is like this": to("customer_changelist", q="nobody"),
    "customer": to_customer,
    "pinned customer": to_one("customer_change", Customer, key="C2001"),
    "new customer": to("customer_add"),
    "customer who was reset": to_success,
    "reset": to_correction("reset"),
    "reset of many": to_correction("reset", *(f"C100{number}" for number in range(1, 10))),
    "reset that somebody else did": to_what_somebody_did_meanwhile,
    "pin": to_correction("pin"),
    "pin with a mistake": to_mistake,
    "unpin": to_correction("unpin"),
    "forget": to_correction("forget"),
    "dashboard": to("dashboard"),
    "policies": to("policy_changelist"),
    "new policy": to("policy_add"),
    "new policy with a mistake": to_mistaken_policy,
    "policy": to_one("policy_change", Policy),
    "policy in use": to_one("policy_delete", Policy),
    "policy to delete": to_policy_deletion,
    "events": to("event_changelist"),
    "event": to_one("event_change", Event, kind="reset"),
    "how priorities work": to("rule"),
    "how a window works": to_rule_of("window"),
    "how halving works": to_rule_of("halving"),
}


def test_everybody_can_use_a_page_with_nothing_on_it(admin: Page, root: User) -> None:
    assert usable(admin, EMPTY) == {}


@pytest.mark.parametrize("way", FILLED)
def test_everybody_can_use_a_page(admin: Page, filled: None, way: str) -> None:
    assert usable(admin, {way: FILLED[way]}) == {}


def usable(admin: Page, ways: dict[str, Way]) -> dict[str, list[Any]]:
    """What is wrong in light, in dark, and on a telephone without scrolling sideways."""
    found: dict[str, list[Any]] = {}
    for name, way in ways.items():
        admin.widen(1280)
        way(admin)
        for scheme in ("light", "dark"):
            admin.prefer(scheme)
            found[f"{name}, {scheme}"] = violations(admin)
        admin.widen(TELEPHONE)
        found[f"{name}, too wide"] = wider_than(admin, TELEPHONE)
    return {name: wrong for name, wrong in found.items() if wrong}


def test_what_is_wrong_is_noticed(admin: Page, root: User) -> None:
    """Else the other tests would say nothing."""
    to("customer_add")(admin)
    assert violations(admin) == []

    admin.script(
        """
        const wide = document.createElement("canvas");
        wide.width = 500;
        document.querySelector("#content").append(wide, new Image(1, 1));
        """
    )
    admin.widen(TELEPHONE)

    assert "image-alt" in {one["rule"] for one in violations(admin)}
    assert "canvas.#" in wider_than(admin, TELEPHONE)


@pytest.mark.plain
def test_the_policy_of_the_pages_is_strict(admin: Page, root: User) -> None:
    """Else no complaint of the browser would say nothing."""
    to("customer_add")(admin)
    fetched = """
        const done = arguments[0];
        fetch(location).then((response) => done(response.headers.get("Content-Security-Policy")));
    """
    assert admin.driver.execute_async_script(fetched) == POLICY

    admin.script("document.body.setAttribute('style', 'color: red')")

    assert "Content Security Policy" in " ".join(admin.complaints())


def test_a_name_of_one_word_fits_a_telephone(admin: Page, filled: None) -> None:
    Customer.objects.filter(key="acme").update(name="W" * 200)
    admin.widen(TELEPHONE)
    for way in (to("customer_changelist"), to_customer, to_correction("reset")):
        way(admin)
        assert "W" * 200 in admin.one("#content, #main").get_attribute("textContent")
        assert wider_than(admin, TELEPHONE) == []


@pytest.mark.parametrize("language", ["en", "pl", "de", "es", "pt"])
def test_no_number_is_cut_in_a_window_of_any_width(
    admin: Page, filled: None, settings: Any, language: str
) -> None:
    acme = Customer.objects.get(key="acme")
    for number in range(10):
        name = f"doc-{number:032x}"
        DocumentDecisionFactory.create(customer=acme, document=name, pending_documents=-1_121)
    services.check_many(["C1009"] * 1_000)
    admin.set_cookie(settings.LANGUAGE_COOKIE_NAME, language)
    cut = """
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
    for way in (to_customer, to("dashboard")):
        way(admin)
        assert admin.script("return document.documentElement.lang") == language
        for width in (1024, 1120, 1200, *range(1240, 1461, 20), 1500, 1520, 1600, 1920):
            admin.widen(width)
            assert (width, admin.script(cut)) == (width, [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_as_light_or_dark_as_the_system_and_can_be_read(
    admin: Page, filled: None, scheme: str
) -> None:
    """Text of every badge has the contrast of 4.5 that WCAG asks for."""
    admin.prefer(scheme)
    admin.visit(LIST)
    drawn = """
        const canvas = document.createElement("canvas");
        const context = canvas.getContext("2d", { willReadFrequently: true });
        const drawn = (colour) => {
          context.clearRect(0, 0, 1, 1);
          context.fillStyle = colour;
          context.fillRect(0, 0, 1, 1);
          return [...context.getImageData(0, 0, 1, 1).data];
        };
    """
    ask = f"{drawn} return drawn(getComputedStyle(document.querySelector('#content, #main')).color)"
    admin.until(
        lambda: (admin.script(ask)[0] > 128) == (scheme == "dark"), f"The page is never {scheme}."
    )
    badges = admin.script(
        f"""{drawn}
        const badges = [...document.querySelectorAll(".dp-badge")];
        return badges.map((badge) => [badge.textContent, getComputedStyle(badge)])
          .map(([text, style]) => [text, drawn(style.color), drawn(style.backgroundColor)]);
        """
    )

    def luminance(colour: list[int]) -> float:
        parts = [part / 255 for part in colour[:3]]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    assert {text for text, *_ in badges} == set("123456789")
    for text, *colours in badges:
        darker, lighter = sorted(luminance(colour) for colour in colours)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, text
    # A list of choices and the calendar of a date are the browser's own.
    to_correction("pin")(admin)
    styles = "return [...document.querySelectorAll('.dp-input')]"
    schemes = admin.script(f"{styles}.map((one) => getComputedStyle(one).colorScheme === 'dark')")
    assert set(schemes) == {scheme == "dark"}
