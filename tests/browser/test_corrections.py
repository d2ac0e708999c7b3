"""Somebody in support puts counters right, and says why."""

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session

from doc_priority import services
from doc_priority.models import Customer, Event
from doc_priority.services import peek
from tests.admin.customers import at_priority
from tests.browser.admin_page import CUSTOMER, LIST, AdminPage
from tests.browser.people import support

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

REASON = "Sent twice by mistake"


@pytest.fixture
def maria() -> User:
    return support("maria")


def ask_to_reset(admin: AdminPage, user: User, customer: Customer) -> None:
    """From the customer's page to the one that asks."""
    admin.sign_in(user)
    admin.visit(CUSTOMER, customer.pk)
    admin.click(f'a[href$="/reset/?customer={customer.pk}"]')
    admin.says("Reset priority?")


def send(admin: AdminPage, reason: str) -> None:
    admin.one("#id_reason").clear()
    admin.type("#id_reason", reason)
    admin.click(".dp-main")


def resets() -> list[tuple[str, str]]:
    return list(Event.objects.filter(kind=Event.Kind.RESET).values_list("customer", "reason"))


def test_who_leaves_the_filter_meanwhile_is_reset_too(admin: AdminPage, maria: User) -> None:
    acme, moving, other = (at_priority(7, key=key) for key in ("acme", "moving", "other"))
    admin.sign_in(maria)
    admin.visit(LIST, priority="7-9")
    admin.tick(acme, moving)
    services.reset("moving")
    services.check_many(["moving"] * 9)
    admin.shows(moving, priority="5")

    admin.run_action("reset_priority")

    admin.says("2 customers")
    assert [row.text.split() for row in admin.all(".dp-table tbody tr")] == [
        ["Customer", "acme", "acme", "7", "→", "becomes", "1", "−13"],
        ["Customer", "moving", "moving", "5", "→", "becomes", "1", "−9"],
    ]
    send(admin, REASON)
    admin.says("2 customers were reset.")
    assert "priority=7-9" in admin.driver.current_url
    assert [peek(one).pending_documents for one in ("acme", "moving", "other")] == [0, 0, -13]
    assert admin.cell(other, "priority") == "7"


@pytest.mark.parametrize("reason", ["", "   "])
def test_without_a_reason_nothing_is_done(admin: AdminPage, maria: User, reason: str) -> None:
    acme = at_priority(7, key="acme")
    ask_to_reset(admin, maria, acme)

    send(admin, reason)

    if reason:
        admin.says("This field is required.")
        admin.one("#id_reason[aria-invalid=true]")
    else:
        # The browser itself does not let it go.
        admin.one("#id_reason:invalid:focus")
    assert peek("acme").pending_documents == -13
    assert not Event.objects.exists()


def test_the_reason_is_kept_where_people_look(admin: AdminPage, maria: User) -> None:
    acme = at_priority(7, key="acme", name="Acme GmbH")
    ask_to_reset(admin, maria, acme)

    send(admin, REASON)
    admin.says("1 customer was reset.")
    assert admin.driver.current_url.endswith(f"/doc_priority/customer/{acme.pk}/change/")
    admin.says(REASON)
    assert peek("acme").pending_documents == 0

    admin.visit("doc_priority_event_changelist")
    for text in ("maria", "Acme GmbH", REASON, "7 → 1"):
        admin.says(text)
    admin.visit("doc_priority_customer_history", acme.pk)
    for text in ("maria", REASON):
        admin.says(text)


def test_the_second_one_is_told_and_has_to_say_it_again(admin: AdminPage, maria: User) -> None:
    acme = at_priority(7, key="acme")
    ask_to_reset(admin, maria, acme)
    services.reset("acme", actor=support("jonas"), reason="Asked on the phone")
    services.check_many(["acme"] * 4)

    send(admin, REASON)

    admin.says("Nothing was done yet, because this has happened since the page was opened:")
    admin.says("by jonas (Asked on the phone)")
    assert resets() == [("acme", "Asked on the phone")]
    assert admin.one("#id_reason").get_attribute("value") == REASON
    admin.click(".dp-main")
    admin.says("1 customer was reset.")
    assert resets() == [("acme", REASON), ("acme", "Asked on the phone")]
    assert peek("acme").pending_documents == 0


def test_a_session_that_ends_loses_nothing_that_was_typed(admin: AdminPage, maria: User) -> None:
    maria.set_password("secret")
    maria.save()
    acme = at_priority(7, key="acme")
    admin.sign_in(maria)
    admin.visit(CUSTOMER, acme.pk)
    admin.click(f'a[href$="/pin/?customer={acme.pk}"]')
    admin.click('#id_priority option[value="2"]')
    admin.type("#id_reason", REASON)
    Session.objects.all().delete()
    admin.click(".dp-main")

    admin.type("#id_username", "maria")
    admin.type("#id_password", "secret")
    admin.click("#login-form [type=submit], form [type=submit]")

    admin.says("You were signed out before you sent this, so nothing was done.")
    assert admin.one("#id_reason").get_attribute("value") == REASON
    assert admin.one("#id_priority").get_attribute("value") == "2"
    assert not Event.objects.exists()
    assert not [one for one in admin.requested() if "Sent" in one]
    admin.click(".dp-main")
    admin.says("1 customer was pinned.")
    assert (peek("acme").priority, peek("acme").pinned) == (2, True)


def test_a_customer_that_is_gone_is_left_out(admin: AdminPage, maria: User) -> None:
    acme = at_priority(7, key="acme")
    ask_to_reset(admin, maria, acme)
    services.forget("acme")

    send(admin, REASON)

    admin.says("There is no such customer; perhaps somebody deleted it.")
    assert resets() == []


def test_a_pin_is_set_and_taken_back(admin: AdminPage, maria: User) -> None:
    acme = at_priority(7, key="acme")
    admin.sign_in(maria)
    admin.visit(CUSTOMER, acme.pk)

    admin.click(f'a[href$="/pin/?customer={acme.pk}"]')
    admin.click('#id_priority option[value="2"]')
    send(admin, "Audit at the client's")
    admin.says("1 customer was pinned.")
    assert (peek("acme").priority, peek("acme").pinned) == (2, True)
    admin.click(f'a[href$="/unpin/?customer={acme.pk}"]')
    send(admin, "Audit is over")
    admin.says("1 customer was unpinned.")

    assert (peek("acme").priority, peek("acme").pinned) == (7, False)


def test_a_pin_without_an_end_is_ticked(admin: AdminPage, maria: User) -> None:
    acme = at_priority(7, key="acme")
    admin.sign_in(maria)
    admin.visit("doc_priority_customer_pin", customer=acme.pk)
    admin.type("#id_priority", "2")
    admin.one("#id_until").clear()
    admin.click("label.dp-tick")

    send(admin, REASON)

    admin.says("acme is pinned to priority 2 without an end.")
    admin.says("Pinned without an end")
    assert peek("acme").pinned
