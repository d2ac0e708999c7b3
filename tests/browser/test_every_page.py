"""Every page of the admin can be used by everybody, on any screen, under a strict policy."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from selenium_axe_python import Axe

from doc_priority import services
from doc_priority.models import Customer, Event, Policy
from tests.browser.page import CUSTOMER, LIST, Page
from tests.browser.site import StrictPolicy
from tests.factories import (
    CustomerFactory,
    DocumentDecisionFactory,
    PolicyFactory,
    at_priority,
    at_rest,
    now,
    pinned,
)

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

Ways = dict[str, Callable[[], object]]
"""How to get to pages, by what they are."""

TELEPHONE = 390


def violations(admin: Page) -> list[dict[str, Any]]:
    """What axe-core finds on the page: rule, element and why, but for what is not ours."""
    # Django's: the links of the path differ from its text by their colour alone; the label of the
    # search is a picture.
    theirs = [("link-in-text-block", ".breadcrumbs a"), ("label-title-only", "#searchbar")]
    if apps.is_installed("unfold"):
        # Its frame has no main landmark, so that all a page has is outside of the landmarks.
        theirs += [("landmark-one-main", "html"), ("region", "*")]
        # White on its bar of actions; its scroll bars in the sidebar.
        theirs += [("color-contrast", "#changelist-actions *")]
        theirs += [("landmark-unique", ".simplebar-content-wrapper")]
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
        theirs,
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
    long = "Przedsiębiorstwo Wielobranżowe Sosnobrzeg i Wspólnicy spółka z ograniczoną " * 2
    names = ("Aldermoor Freight Ltd", "شركة النور للنقل", "Ahrensbeck <b>Logistik</b> GmbH", long)
    PolicyFactory.create(name="Contract", recovery="halving")
    for priority in range(1, 10):
        at_priority(priority, key=f"C100{priority}", name=names[priority % len(names)])
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


def usable(admin: Page, ways: Ways) -> dict[str, list[Any]]:
    """What is wrong in light, in dark, and on a telephone without scrolling sideways."""
    found: dict[str, list[Any]] = {}
    for name, way in ways.items():
        admin.widen(1280)
        way()
        for scheme in ("light", "dark"):
            admin.prefer(scheme)
            found[f"{name}, {scheme}"] = violations(admin)
        admin.widen(TELEPHONE)
        found[f"{name}, too wide"] = wider_than(admin, TELEPHONE)
    return {name: wrong for name, wrong in found.items() if wrong}


def visit_customer(admin: Page) -> None:
    admin.visit(CUSTOMER, Customer.objects.get(key="acme").pk)
    admin.click("summary")


def visit_correction(admin: Page, name: str, *keys: str) -> None:
    customers = Customer.objects.filter(key__in=keys or ("acme",))
    pks = ",".join(str(customer.pk) for customer in customers)
    admin.visit(f"doc_priority_customer_{name}", customer=pks)


def test_everybody_can_use_a_page_with_nothing_on_it(admin: Page, root: User) -> None:
    names = ("customer_changelist", "dashboard", "policy_changelist", "event_changelist")
    ways = {name: partial(admin.visit, f"doc_priority_{name}") for name in names}
    assert usable(admin, ways) == {}


def test_everybody_can_use_the_pages_of_customers(admin: Page, filled: None) -> None:
    def tick_some() -> None:
        admin.visit(LIST)
        admin.tick(*Customer.objects.filter(key__in=("acme", "C2001")))

    pinned, event = Customer.objects.get(key="C2001"), Event.objects.filter(kind="reset")[0]
    ways = {
        "list": tick_some,
        "list in which nobody is like this": partial(admin.visit, LIST, q="nobody"),
        "customer": partial(visit_customer, admin),
        "pinned customer": partial(admin.visit, CUSTOMER, pinned.pk),
        "new customer": partial(admin.visit, "doc_priority_customer_add"),
        "dashboard": partial(admin.visit, "doc_priority_dashboard"),
        "events": partial(admin.visit, "doc_priority_event_changelist"),
        "event": partial(admin.visit, "doc_priority_event_change", event.pk),
    }
    assert usable(admin, ways) == {}


def test_everybody_can_use_the_pages_of_corrections(admin: Page, filled: None) -> None:
    def pin_by_mistake() -> None:
        """A reason of spaces passes the browser, and the server says what is wrong."""
        visit_correction(admin, "pin")
        admin.click("#id_priority option:last-child")
        admin.send_reason("   ")
        admin.one(".dp-error")

    def reset_what_somebody_did_meanwhile() -> None:
        visit_correction(admin, "reset")
        services.reset("acme", actor="jonas", reason="Asked on the phone")
        admin.send_reason("Sent twice")
        admin.one(".dp-warning")

    def reset() -> None:
        visit_correction(admin, "reset")
        admin.send_reason("Sent twice")
        admin.says(" reset to 0.")

    many = [f"C100{number}" for number in range(1, 10)]
    ways = {
        "reset": partial(visit_correction, admin, "reset"),
        "reset of many": partial(visit_correction, admin, "reset", *many),
        "pin": partial(visit_correction, admin, "pin"),
        "pin with a mistake": pin_by_mistake,
        "unpin": partial(visit_correction, admin, "unpin"),
        "forget": partial(visit_correction, admin, "forget"),
        "reset that somebody else did": reset_what_somebody_did_meanwhile,
        "customer who was reset": reset,
    }
    assert usable(admin, ways) == {}


def test_everybody_can_use_the_pages_of_policies(admin: Page, filled: None) -> None:
    def mistake() -> None:
        admin.visit("doc_priority_policy_add")
        admin.type("#id_name", "Wrong")
        admin.one("#id_threshold_3").clear()
        admin.type("#id_threshold_3", "-1")
        admin.click("[name=_save]")
        admin.one("#id_threshold_3[aria-invalid=true]")

    def rule_of(recovery: str) -> None:
        Policy.objects.update(recovery=recovery)
        admin.visit("doc_priority_rule", policy="Contract")

    def deletion() -> None:
        Customer.objects.update(policy=None)
        admin.visit("doc_priority_policy_delete", policy.pk)

    policy = Policy.objects.get()
    ways = {
        "policies": partial(admin.visit, "doc_priority_policy_changelist"),
        "new policy": partial(admin.visit, "doc_priority_policy_add"),
        "new policy with a mistake": mistake,
        "policy": partial(admin.visit, "doc_priority_policy_change", policy.pk),
        "policy in use": partial(admin.visit, "doc_priority_policy_delete", policy.pk),
        "how priorities work": partial(admin.visit, "doc_priority_rule"),
        "how a window works": partial(rule_of, "window"),
        "how halving works": partial(rule_of, "halving"),
        "policy to delete": deletion,
    }
    assert usable(admin, ways) == {}


def test_what_is_wrong_is_noticed(admin: Page, root: User) -> None:
    """Else the other tests would say nothing."""
    admin.visit("doc_priority_customer_add")
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
    admin.visit("doc_priority_customer_add")
    fetched = """
        const done = arguments[0];
        fetch(location).then((response) => done(response.headers.get("Content-Security-Policy")));
    """
    assert admin.driver.execute_async_script(fetched) == StrictPolicy.policy

    admin.script("document.body.setAttribute('style', 'color: red')")

    assert "Content Security Policy" in " ".join(admin.complaints())


def test_a_name_of_one_word_fits_a_telephone(admin: Page, filled: None) -> None:
    Customer.objects.filter(key="acme").update(name="W" * 200)
    admin.widen(TELEPHONE)
    for way in (
        partial(admin.visit, LIST),
        partial(visit_customer, admin),
        partial(visit_correction, admin, "reset"),
    ):
        way()
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
    for way in (partial(visit_customer, admin), partial(admin.visit, "doc_priority_dashboard")):
        way()
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
    visit_correction(admin, "pin")
    styles = "return [...document.querySelectorAll('.dp-input')]"
    schemes = admin.script(f"{styles}.map((one) => getComputedStyle(one).colorScheme === 'dark')")
    assert set(schemes) == {scheme == "dark"}
