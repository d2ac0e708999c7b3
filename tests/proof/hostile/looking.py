"""Looking changes nothing, and what changes something needs the form's token."""

from typing import Any
from urllib.parse import urlencode

from doc_priority.models import Customer, Event
from tests.admin.confirmations import LATER
from tests.api.refusals import make_acme
from tests.proof.hostile.admin_addresses import Address, admin_addresses
from tests.proof.hostile.roles import user_of
from tests.proof.hostile.scene import browser_of, empty_portal, stored
from tests.proof.hostile.tried import Tried

LOOKING = ("GET", "HEAD")
FORM = "application/x-www-form-urlencoded"
CHANGING = ("POST", "PUT", "PATCH", "DELETE")


def looking_changes_nothing(*roles: str) -> Tried:
    """Every address of the admin, by these, with a form's fields as parameters."""
    tried = Tried("requests")
    with empty_portal():
        make_acme()
        for role in roles:
            browser = browser_of(user_of(role))
            before, query = stored(), _query()
            for one in admin_addresses():
                for method in LOOKING:
                    answer = browser.generic(method, one.path, QUERY_STRING=query)
                    _expect_framed_and_answered(tried, method, one, answer)
                after = stored()
                tried.expect(after == before, f"{role}: looking at {one.route} changed something")
                before = after
    return tried


def _query() -> str:
    """What would change something where it is taken."""
    customer, newest = Customer.objects.get().pk, Event.objects.latest("pk").pk
    ticked = {"action": "delete_selected", "_selected_action": customer, "index": 0}
    corrected = {"customers": customer, "seen": newest, "reason": "r", "priority": 1}
    return urlencode({**ticked, **corrected, "until": LATER, "post": "yes", "name": "new"})


def _expect_framed_and_answered(tried: Tried, method: str, one: Address, answer: Any) -> None:
    tried.expect(answer.status_code < 500, f"{method} {one.path}: {answer.status_code}")
    tried.expect(
        answer.get("X-Frame-Options") == "DENY", f"{method} {one.path}: another site may frame it"
    )


def nothing_without_the_token() -> Tried:
    """Every address, by somebody who may do everything."""
    tried = Tried("requests")
    with empty_portal():
        make_acme()
        browser = browser_of(user_of("superuser"), strict=True)
        before, query = stored(), _query()
        for one in admin_addresses():
            for method in CHANGING:
                answer = browser.generic(method, one.path, query, content_type=FORM)
                seen = answer.status_code
                tried.expect(seen == 403, f"{method} {one.path} without a token: {seen}")
            tried.expect(stored() == before, f"{one.route} changed something without a token")
    return tried
