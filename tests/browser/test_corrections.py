"""Somebody in support looks at a customer, puts its counter right, and says why."""

import re

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone
from selenium.webdriver.common.keys import Keys

from doc_priority import services
from doc_priority.models import Customer, Event, Policy
from doc_priority.services import peek
from tests.browser.page import CUSTOMER, LIST, Page, support
from tests.factories import PolicyFactory, at_priority, now, pinned

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

REASON = "Sent twice by mistake"


@pytest.fixture
def acme() -> Customer:
    """14 documents, one after the other, and their names."""
    services.check_many([("acme", f"invoice-{number}") for number in range(14)])
    return Customer.objects.get()


def resets() -> list[tuple[str, str]]:
    return list(Event.objects.filter(kind=Event.Kind.RESET).values_list("customer", "reason"))


def test_all_that_a_customers_page_says_agrees_and_follows(
    admin: Page, maria: User, acme: Customer
) -> None:
    def pending() -> str:
        texts = [one.text.split("\n") for one in admin.all(".dp-standing-live .dp-facts > div")]
        return dict(texts)["Pending documents"]

    admin.visit(CUSTOMER, acme.pk)
    admin.script("window.mark = 'as it was'")
    decision = peek("acme")
    assert admin.one(".dp-standing-live .dp-badge").text == str(decision.priority) == "7"
    assert pending() == str(decision.pending_documents).replace("-", "−")
    assert abs(admin.countdown() - (decision.resets_at - now()).total_seconds()) < 5
    sentence = admin.one(".dp-standing-live .dp-sentence").text
    at = timezone.localtime(decision.resets_at)
    assert "acme from priority 1 to 7" in sentence
    # Tomorrow's times come with their date.
    assert re.search(rf"the priority is back at 1 (on .* )?at {at:%H:%M}\.$", sentence)

    services.check_many(["acme"] * 2)

    admin.until(lambda: pending() == "−15", "It stays as it was.")
    assert "from priority 1 to 8" in admin.one(".dp-standing-live .dp-sentence").text
    assert admin.script("return window.mark") == "as it was"


def test_what_is_selected_stays_so(admin: Page, maria: User, acme: Customer) -> None:
    """Also where the server writes a character otherwise than the browser."""
    services.change_customer("acme", actor=maria, name="O'Brien & Söhne")
    admin.visit(CUSTOMER, acme.pk)
    selected = admin.script(
        """
        const sentence = document.querySelector(".dp-sentence > :last-child");
        getSelection().selectAllChildren(sentence);
        return getSelection().toString();
        """
    )
    assert "O'Brien & Söhne from priority 1 to 7" in selected
    refreshed = admin.one(".dp-updated").text

    admin.let_seconds_pass(3)

    assert admin.one(".dp-updated").text != refreshed
    assert admin.script("return getSelection().toString()") == selected


def test_a_page_of_a_customer_that_is_gone_says_so(
    admin: Page, maria: User, acme: Customer
) -> None:
    admin.visit(CUSTOMER, acme.pk)

    services.forget("acme")

    admin.says("The customer “acme” has been deleted.")
    assert admin.all(".dp-standing-live .dp-button, a[href$='/delete/']") == []
    assert not any(one.is_enabled() for one in admin.all("[name=name], [name=_save]"))
    admin.driver.refresh()
    admin.says("This customer does not exist. It may have been deleted.")
    assert all("404" in one for one in admin.complaints())


def test_a_reset_needs_no_mouse_and_a_reason(admin: Page, maria: User, acme: Customer) -> None:
    def tab_to(selector: str) -> None:
        for _ in range(100):
            admin.press(Keys.TAB)
            if admin.script("return document.activeElement.matches(arguments[0])", selector):
                return
        raise AssertionError(f"Tab does not reach {selector}.")

    outline = "const style = getComputedStyle(document.activeElement);"
    outline += "return style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth)"
    admin.visit(CUSTOMER, acme.pk)

    tab_to(f'a[href$="/reset/?customer={acme.pk}"]')
    assert admin.script(outline) >= 2
    admin.press(Keys.ENTER)
    admin.says("Reset counter?")
    tab_to(".dp-main")
    assert admin.script(outline) >= 2
    admin.press(Keys.ENTER)
    admin.one("#id_reason:invalid:focus")  # the browser itself does not let it go
    admin.press("   ")
    admin.press(Keys.ENTER)
    admin.says("This field is required.")
    admin.one("#id_reason[aria-invalid=true]")
    assert resets() == []
    tab_to("#id_reason")
    admin.press(REASON)
    admin.press(Keys.ENTER)

    admin.says("acme reset to 0.")
    assert admin.driver.current_url.endswith(f"/doc_priority/customer/{acme.pk}/change/")
    admin.says(REASON)
    assert peek("acme").pending_documents == 0
    admin.visit("doc_priority_event_changelist")
    for text in ("maria", REASON, "7 → 1"):
        admin.says(text)


def test_who_leaves_the_filter_meanwhile_is_reset_too(admin: Page, maria: User) -> None:
    acme, moving, other = (at_priority(7, key=key) for key in ("acme", "moving", "other"))
    admin.visit(LIST, priority="7-9")
    admin.tick(acme, moving)
    services.reset("moving")
    services.check_many(["moving"] * 9)
    admin.shows(moving, priority="5")

    admin.click('select[name="action"] option[value="reset_priority"]')
    admin.click('button[name="index"]')

    admin.says("2 customers")
    assert [row.text.split() for row in admin.all(".dp-table tbody tr")] == [
        ["Customer", "acme", "acme", "7", "→", "changes", "to", "1", "−13"],
        ["Customer", "moving", "moving", "5", "→", "changes", "to", "1", "−9"],
    ]
    admin.send_reason(REASON)
    admin.says("2 customers: counters reset to 0.")
    assert "priority=7-9" in admin.driver.current_url
    assert [peek(one).pending_documents for one in ("acme", "moving", "other")] == [0, 0, -13]
    admin.shows(other, priority="7")


def test_the_second_one_is_told_and_has_to_say_it_again(admin: Page, maria: User) -> None:
    acme = at_priority(7, key="acme")
    admin.visit("doc_priority_customer_reset", customer=acme.pk)
    services.reset("acme", actor=support("jonas"), reason="Asked on the phone")
    services.check_many(["acme"] * 4)

    admin.send_reason(REASON)

    admin.says("Nothing has been changed yet. Since you opened this page:")
    admin.says("by jonas (Asked on the phone)")
    assert resets() == [("acme", "Asked on the phone")]
    assert admin.one("#id_reason").get_attribute("value") == REASON
    admin.click(".dp-main")
    admin.says("acme reset to 0.")
    assert resets() == [("acme", REASON), ("acme", "Asked on the phone")]
    assert peek("acme").pending_documents == 0


def test_a_session_that_ends_loses_nothing_that_was_typed(admin: Page, maria: User) -> None:
    maria.set_password("secret")
    maria.save()
    admin.sign_in(maria)
    acme = at_priority(7, key="acme")
    admin.visit(CUSTOMER, acme.pk)
    admin.click(f'a[href$="/pin/?customer={acme.pk}"]')
    admin.click('#id_priority option[value="2"]')
    admin.type("#id_reason", REASON)
    Session.objects.all().delete()
    admin.click(".dp-main")

    admin.type("#id_username", "maria")
    admin.type("#id_password", "secret")
    admin.click("#login-form [type=submit], form [type=submit]")

    admin.says("You were signed out before you sent this, so nothing was changed.")
    assert admin.one("#id_reason").get_attribute("value") == REASON
    assert admin.one("#id_priority").get_attribute("value") == "2"
    assert not Event.objects.exists()
    assert not [one for one in admin.requested() if "Sent" in one]
    admin.click(".dp-main")
    admin.says("acme pinned.")
    assert (peek("acme").priority, peek("acme").pinned) == (2, True)
    admin.click(f'a[href$="/unpin/?customer={acme.pk}"]')
    admin.send_reason("Audit is over")
    admin.says("acme removed.")
    assert (peek("acme").priority, peek("acme").pinned) == (7, False)


def test_a_pin_without_an_end_is_ticked(admin: Page, maria: User) -> None:
    acme = at_priority(7, key="acme")
    admin.visit("doc_priority_customer_pin", customer=acme.pk)
    admin.type("#id_priority", "2")
    admin.one("#id_until").clear()
    admin.click("label.dp-tick")

    admin.send_reason(REASON)

    admin.says("acme is pinned to priority 2 without an end.")
    admin.says("Pinned without an end")
    assert peek("acme").pinned


def test_the_word_beside_the_badge_is_whole(admin: Page, maria: User) -> None:
    acme = pinned(2, key="acme", name="Przedsiębiorstwo Wielobranżowe " * 6)
    admin.visit(CUSTOMER, acme.pk)
    lines = """
        const word = document.createRange();
        word.selectNodeContents(document.querySelector(".dp-sentence .dp-note"));
        return word.getClientRects().length;
    """
    for width in (1280, 390):
        admin.widen(width)
        assert admin.script(lines) == 1


@pytest.mark.plain
def test_a_theme_neither_squeezes_the_buttons_nor_the_tables(
    admin: Page, maria: User, acme: Customer
) -> None:
    """What django-grappelli says of every button, and of what stands in a form."""
    admin.visit(CUSTOMER, acme.pk)
    for rule in ("button { width: 25px; margin-left: -25px }", "form > div { float: left }"):
        admin.script("document.styleSheets[0].insertRule(arguments[0], 0)", rule)

    assert admin.script(
        """
        const pause = document.querySelector(".dp-pause");
        const [before, after] = [pause.previousElementSibling, pause].map(
            (one) => one.getBoundingClientRect());
        const tables = document.querySelector(".dp-columns");
        return pause.scrollWidth <= pause.clientWidth && before.right <= after.left
            && tables.clientWidth === tables.parentElement.clientWidth;
        """
    )


def test_a_policy_shows_what_it_means_while_it_is_typed_and_asks_before_it_moves_somebody(
    admin: Page, root: User
) -> None:
    policy = PolicyFactory.create(name="Contract")
    at_priority(9, key="acme")
    Customer.objects.update(policy=policy)
    last_level, last_threshold = ".dp-levels tbody tr:last-child", "#id_threshold_8"
    admin.visit("doc_priority_policy_change", policy.pk)
    assert "−21" in admin.one(last_level).text

    for typed, shown in (("-1", "Please correct:"), ("-40", "−41")):
        admin.one(last_threshold).clear()
        admin.type(last_threshold, typed)
        admin.says(shown)
    assert admin.one(".dp-preview-moves").text
    admin.click("[name=_save]")
    admin.says("Not saved yet. Save again to confirm.")
    assert Policy.objects.get().thresholds[-1] == -20
    admin.click("[name=_save]")

    admin.until(lambda: Policy.objects.get().thresholds[-1] == -40, "It is never saved.")
