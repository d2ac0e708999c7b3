"""Who may only look is offered nothing else, and gets nothing else by address."""

import pytest

from doc_priority.services import peek
from tests.admin.customers import at_priority
from tests.browser.admin_page import CUSTOMER, LIST, AdminPage
from tests.browser.people import viewer

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

CORRECTIONS = ("reset", "pin", "unpin", "forget")


def test_a_viewer_is_offered_no_correction(admin: AdminPage) -> None:
    acme = at_priority(7, key="acme")
    admin.sign_in(viewer())

    admin.visit(LIST)
    admin.shows(acme, priority="7")
    actions = admin.all('select[name="action"] option')
    assert [one.get_attribute("value") for one in actions] == ["", "export_as_csv"]

    admin.visit(CUSTOMER, acme.pk)
    admin.says("Priority now")
    for correction in CORRECTIONS:
        assert admin.all(f'a[href*="/{correction}/"]') == []
    assert admin.all("input[name=_save]") == []


def test_a_viewer_is_refused_at_the_address(admin: AdminPage) -> None:
    acme = at_priority(7, key="acme")
    admin.sign_in(viewer())

    for correction in CORRECTIONS:
        admin.visit(f"doc_priority_customer_{correction}", customer=acme.pk)
        admin.says("403 Forbidden")
    assert all("403" in one for one in admin.complaints())
    assert peek("acme").pending_documents == -13


def test_a_viewer_sees_how_everybody_stands(admin: AdminPage) -> None:
    at_priority(7, key="acme")
    admin.sign_in(viewer())

    for name in ("dashboard", "rule", "policy_changelist", "event_changelist"):
        admin.visit(f"doc_priority_{name}")
        admin.one("h1")
