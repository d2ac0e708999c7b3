"""Whether the log can be forged, or says what nobody should read there."""

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from doc_priority.models import Customer, Event, Policy
from tests.admin.confirmations import FORGET, LATER, PIN, RESET, UNPIN
from tests.admin.policy_pages import change_of, typed
from tests.api.bad_inputs import KEYS, NAMES
from tests.api.calls import CALLS, UNTIL
from tests.api.conftest import Caller
from tests.proof.hostile.log_lines import UNSEEN, Line, Lines, listening
from tests.proof.hostile.scene import browser_of, caller_of, empty_portal
from tests.proof.hostile.text_pages import address
from tests.proof.hostile.tried import Tried

SECRET = "Zaphod"
"""Part of every name, reason and document: the log names customers by their keys alone."""

TERMS = {"reset_interval": 600, "recovery": "idle", "thresholds": [*range(-1, -9, -1)]}
CONTROLS = ("%0A", "%0D%0AERROR%20forged", "%1B%5B31m", "%00", "%C2%9B31m", "%08", "%7F")
CONTROLS += ("%E2%80%AE", "%E2%80%A8", "%ED%A0%80", "%25s%25(x)d")
FORGING = f"{SECRET}\r\nERROR forged a line\x1b[31m\u202e"
OURS = "doc_priority"
KINDS = frozenset(Event.Kind.values)


def lines_of_the_log() -> Tried:
    """Everything is done and refused once that is logged at all."""
    tried = Tried("lines")
    with empty_portal(), listening() as lines:
        user = User.objects.create_superuser(FORGING, first_name=FORGING)
        caller, browser = caller_of(user), browser_of(user)
        _correct_over_rest(caller)
        _correct_in_the_admin(browser)
        _ask_for_what_is_refused(caller, browser)
        _ask_as_nobody()
    _expect_harmless(tried, lines)
    return tried


def _expect_harmless(tried: Tried, lines: Lines) -> None:
    for line in lines.kept:
        tried.expect(not UNSEEN.search(line.text), f"{line.logger}: {line.text[:200]!r}")
        if line.logger == OURS:
            tried.expect(not _tells(line), f"{line.text[:200]!r} {line.beside}")
    logged = {line.beside.get("action") for line in lines.kept if line.logger == OURS}
    tried.expect(logged >= KINDS, f"only {logged} was logged")
    others = {line.logger for line in lines.kept}
    tried.expect({"django.request", "django.security.csrf"} <= others, f"only {others} logged")


def _tells(line: Line) -> bool:
    """Whether it says more of a customer than the key, or could be a line of its own."""
    values = " ".join(map(str, line.beside.values()))
    return SECRET in line.text or SECRET in values or bool(UNSEEN.search(values))


def _correct_over_rest(caller: Caller) -> None:
    text = {"reason": f"{SECRET} called"}
    pin = {**text, "priority": 2, "until": UNTIL}
    for method, where, body in (
        ("POST", "policies/", {"name": f"{SECRET} gold", **TERMS, **text}),
        ("PATCH", f"policies/{SECRET}%20gold/", {"reset_interval": 900, **text}),
        ("POST", "customers/", {"customer": "acme", "name": SECRET}),
        ("PATCH", "customers/acme/", {"name": f"{SECRET} Ltd", "policy": f"{SECRET} gold", **text}),
        ("POST", "customers/acme/check/", {"document": f"{SECRET} 1"}),
        ("POST", "checks/", {"items": [{"customer": "acme", "document": f"{SECRET} 2"}]}),
        ("POST", "customers/acme/reset/", text),
        ("PUT", "customers/acme/pin/", pin),
        ("DELETE", "customers/acme/pin/", text),
        ("DELETE", "customers/acme/", text),
        ("DELETE", f"policies/{SECRET}%20gold/", text),
    ):
        answer = caller.request(method, where, body)
        if answer.status_code >= 300:
            raise RuntimeError(f"{method} {where}: {answer.content!r}")


def _correct_in_the_admin(browser: Client) -> None:
    browser.post(address("policy_add"), typed(name=f"{SECRET} gold", reason=SECRET))
    policy = Policy.objects.get()
    browser.post(change_of(policy), typed(reset_interval=900, reason=SECRET))
    browser.post(address("customer_add"), {"key": "birch", "name": SECRET, "policy": policy.pk})
    customer = Customer.objects.get()
    for name in (RESET, PIN, UNPIN, FORGET):
        newest = Event.objects.latest("pk").pk
        fields = {"customers": customer.pk, "seen": newest, "reason": SECRET}
        browser.post(reverse(name), {**fields, "priority": 2, "until": LATER})


def _ask_for_what_is_refused(caller: Caller, browser: Client) -> None:
    for call in CALLS:
        for place in CONTROLS:
            caller.request(call.method, f"{call.to(key=place, name=place)[1]}", b"{]")
    for place in (*KEYS, *NAMES):
        caller.get(f"customers/{place}/")
    for place in CONTROLS:
        browser.get(f"/admin/{place}/")
        browser.get(f"/admin/doc_priority/customer/{place}/change/")
        browser.get(f"{address('customer_changelist')}?q={place}&{place}=1")
        browser.get(f"{address('policy_add')}?_to_field={place}")
        browser.post(reverse(RESET), {"customers": place, "reason": place})
        browser.get("/admin/", headers={"Host": f"evil{place}"})
    browser.put(reverse(RESET))


def _ask_as_nobody() -> None:
    nobody, without_rights = (
        browser_of(None, strict=True),
        browser_of(User.objects.create(username="n")),
    )
    for place in CONTROLS:
        nobody.post(f"/admin/{place}/", {"reason": SECRET}, headers={"Referer": place})
        nobody.get("/api/v1/stats/", headers={"Authorization": f"Token {place}"})
        without_rights.get(f"/api/v1/customers/{place}/")
        nobody.get(f"/nothing/{place}/")
