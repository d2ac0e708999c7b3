"""Every page on which a stored text may stand, and every one that says again what was sent."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from django.test import Client
from django.urls import reverse

from doc_priority.models import Customer, Event, Policy
from tests.admin.confirmations import FORGET, PIN, RESET, UNPIN
from tests.admin.lists import CUSTOMERS
from tests.admin.policy_pages import typed
from tests.proof.hostile.admin_addresses import admin_addresses

APP = "admin:doc_priority_"
CORRECTIONS = (RESET, PIN, UNPIN, FORGET)


def pages_of_what_is_stored() -> Iterator[str]:
    """The addresses; what they show is what everybody stored."""
    yield from dict.fromkeys(one.path for one in admin_addresses())
    yield from _of_customers()
    for policy in Policy.objects.all():
        yield from (
            address(f"policy_{page}", policy.pk) for page in ("change", "delete", "history")
        )
        yield f"{address('rule')}?{urlencode({'policy': policy.name})}"
    for event in Event.objects.all():
        yield address("event_change", event.pk)
    yield from (f"{address('event_changelist')}?p={number}" for number in (1, 2, 3))


def address(name: str, *arguments: object) -> str:
    return reverse(APP + name, args=arguments)


def _of_customers() -> Iterator[str]:
    customers = list(Customer.objects.values_list("pk", flat=True))
    everybody = ",".join(map(str, customers))
    yield f"{address('customer_live')}?live={everybody}"
    yield from (f"{reverse(name)}?customer={everybody}" for name in CORRECTIONS)
    for pk in customers:
        yield from (address(f"customer_{page}", pk) for page in ("change", "history", "standing"))


def pages_that_repeat(text: str) -> Iterator[str]:
    """What stands in the address may stand on the page."""
    for name in ("customer_changelist", "policy_changelist", "event_changelist", "customer_live"):
        for parameter in ("q", "priority", "policy", "state", "customer", "kind__exact", "o", "p"):
            yield f"{address(name)}?{urlencode({parameter: text})}"
        yield f"{address(name)}?{urlencode({text: 1})}"
    yield f"{address('rule')}?{urlencode({'policy': text})}"
    for page in ("customer_add", "policy_add"):
        for parameter in ("name", "key", "reason", "_changelist_filters", "_to_field", "_popup"):
            yield f"{address(page)}?{urlencode({parameter: text})}"
    yield f"{address('policy_preview')}?{urlencode({'recovery': text, 'threshold_1': text})}"
    yield from (f"{reverse(name)}?{urlencode({'customer': text})}" for name in CORRECTIONS)
    yield f"/admin/{urlencode({'': text})[1:]}/"


def forms_that_repeat(browser: Client, text: str) -> Iterator[tuple[str, object]]:
    """What was sent stands in the form that comes back, or in what is said of it."""
    pks = list(Customer.objects.values_list("pk", flat=True)[:2])
    sent: Sequence[tuple[str, dict[str, object]]] = (
        (address("customer_add"), {"key": text, "name": text, "policy": text}),
        (address("policy_add"), typed(name=text[:64], reason=text, reset_interval=text)),
        (address("policy_add"), typed(name=f"new {text}"[:64], reason=text)),
        (reverse(RESET), {"customers": pks, "reason": "", "list": text, "seen": text}),
        (reverse(RESET), {"customers": pks, "reason": text, "list": f"q={text}", "seen": 0}),
        (reverse(PIN), {"customers": pks, "reason": text, "priority": text, "until": text}),
        (reverse(CUSTOMERS), {"action": text, "_selected_action": pks, "index": 0}),
        (reverse(CUSTOMERS), {"action": "pin_priority", "_selected_action": text, "index": 0}),
        (
            f"{reverse(CUSTOMERS)}?{urlencode({'q': text})}",
            {"action": "reset_priority", "_selected_action": pks, "index": 0},
        ),
        *_held_policies(),
        ("/admin/login/", {"username": text, "password": text, "next": text}),
    )
    for to, fields in sent:
        yield f"POST {to} {str(fields)[:80]}", browser.post(to, fields, follow=True)


def _held_policies() -> Iterator[tuple[str, dict[str, object]]]:
    """Policies that customers have are named by those who say why they stay."""
    policies = list(Policy.objects.values_list("pk", flat=True)[:2])
    ticked = {"action": "delete_selected", "_selected_action": policies, "index": 0}
    yield address("policy_changelist"), ticked
    yield from ((address("policy_delete", pk), {"post": "yes"}) for pk in policies)
