"""The rows of the admin's matrix, as a browser sends them."""

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model
from django.test import Client
from django.urls import resolve, reverse

from doc_priority.models import Customer, Event, Policy
from tests.admin.confirmations import FORGET, LATER, PIN, RESET, UNPIN
from tests.admin.lists import CUSTOMERS
from tests.admin.policy_pages import change_of, typed
from tests.api.reach import OWN
from tests.proof.hostile.text_pages import address

Form = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Ask:
    """What a browser sends."""

    method: str
    path: str
    fields: dict[str, Any] = field(default_factory=dict)

    def __call__(self, browser: Client) -> Any:
        if self.method == "GET":
            return browser.get(self.path)
        return browser.post(self.path, self.fields)

    @property
    def what(self) -> str:
        """The method, the route that leads to the page, and the action of its list."""
        route = resolve(self.path.partition("?")[0]).route
        return " ".join((self.method, route, *self._action))

    @property
    def _action(self) -> tuple[str, ...]:
        return (self.fields["action"],) if "action" in self.fields else ()


def admin_requests() -> dict[str, Ask]:
    """By the names of the rows; about the customer within reach, its policy and its event.

    Every page is looked at, and sent a form: its own, or an empty one.
    """
    customer, policy = Customer.objects.get(key=OWN), Policy.objects.get()
    event = Event.objects.get(customer=OWN)
    pages = _pages(customer, policy, event)
    forms = {
        **{name: (page, {}) for name, page in pages.items() if name not in LISTS},
        **_ticks(customer, policy, event),
        **_corrections(customer),
        **_forms(customer, policy, event),
    }
    looked_at = {f"GET {name}": Ask("GET", page) for name, page in (pages | BESIDE).items()}
    return looked_at | {f"POST {name}": Ask("POST", *form) for name, form in forms.items()}


def _pages(customer: Customer, policy: Policy, event: Event) -> dict[str, str]:
    return {
        "list": reverse(CUSTOMERS),
        "live": f"{address('customer_live')}?live={customer.pk}",
        "dashboard": address("dashboard"),
        "dashboard-live": address("dashboard_live"),
        "rule": address("rule"),
        "standing": address("customer_standing", customer.pk),
        "customer-add": address("customer_add"),
        "policies": address("policy_changelist"),
        "policy-add": address("policy_add"),
        "preview": address("policy_preview"),
        "events": address("event_changelist"),
        "event-add": address("event_add"),
        **_pages_of("customer", customer.pk),
        **_pages_of("policy", policy.pk),
        **_pages_of("event", event.pk),
        **{name: f"{reverse(to)}?customer={customer.pk}" for name, to in CORRECTIONS.items()},
    }


def _pages_of(model: str, pk: int) -> dict[str, str]:
    """Of one row: its own, those beside it, and the address without a page."""
    change = address(f"{model}_change", pk)
    return {
        model: change,
        f"{model}-history": address(f"{model}_history", pk),
        f"{model}-delete": address(f"{model}_delete", pk),
        f"{model}-bare": change.removesuffix("change/"),
    }


LISTS = ("list", "policies", "events")
"""Pages whose forms are actions."""

BESIDE = {"index": "/admin/", "app": "/admin/doc_priority/", "metrics": "/metrics/"}
"""Not below the addresses of our models."""

DELETE = "delete_selected"
CORRECTIONS = {"reset": RESET, "pin": PIN, "unpin": UNPIN, "forget": FORGET}
TICKS = {
    "export": "export_as_csv",
    "tick-reset": "reset_priority",
    "tick-pin": "pin_priority",
    "tick-unpin": "unpin_priority",
    "tick-forget": DELETE,
}


def _ticks(customer: Customer, policy: Policy, event: Event) -> dict[str, Form]:
    ticks = {
        name: (reverse(CUSTOMERS), _ticked(action, customer)) for name, action in TICKS.items()
    }
    return ticks | {
        "tick-policy": (address("policy_changelist"), _ticked(DELETE, policy)),
        "tick-policy-yes": (address("policy_changelist"), _ticked(DELETE, policy, post="yes")),
        "tick-event-yes": (address("event_changelist"), _ticked(DELETE, event, post="yes")),
    }


def _ticked(action: str, row: Model, **more: str) -> dict[str, Any]:
    return {"action": action, "index": 0, "_selected_action": [row.pk], **more}


def _corrections(customer: Customer) -> dict[str, Form]:
    fields = {
        "customers": customer.pk,
        "seen": Event.objects.latest("pk").pk,
        "reason": "r",
        "priority": 2,
        "until": LATER,
    }
    return {name: (reverse(to), fields) for name, to in CORRECTIONS.items()}


def _forms(customer: Customer, policy: Policy, event: Event) -> dict[str, Form]:
    named = {"key": customer.key, "name": "new", "policy": policy.pk, "initial-name": customer.name}
    named |= {"reason": "r", "policy_seen": f"|{policy.name}"}
    return {
        "customer": (address("customer_change", customer.pk), named),
        "customer-add": (address("customer_add"), {"key": "own-new", "name": "new"}),
        "policy": (change_of(policy), typed(reset_interval=2000, reason="r")),
        "policy-add": (address("policy_add"), typed(name="new", reason="r")),
        "policy-delete": (address("policy_delete", policy.pk), {"post": "yes", "reason": "r"}),
        "event": (address("event_change", event.pk), {"reason": "changed"}),
        "event-add": (address("event_add"), {"reason": "added"}),
        "event-delete": (address("event_delete", event.pk), {"post": "yes"}),
    }
