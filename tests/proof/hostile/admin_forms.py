"""Every form of the admin, filled in as it would be stored."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote_plus

from django.urls import reverse

from doc_priority.models import Customer, Event, Policy
from tests.admin.confirmations import FORGET, LATER, PIN, RESET, UNPIN
from tests.admin.lists import CUSTOMERS
from tests.admin.policy_pages import change_of, typed
from tests.proof.hostile.text_pages import address

FORM = "application/x-www-form-urlencoded"
BOUNDARY = "hostile"

NOTHING = ""
LOGGED = r"\+LogEntry"
"""In the admin's own history."""

POLICY_KEPT = rf"\+Event\(policy\) {LOGGED}"
CUSTOMER_MADE = rf"\+Customer {LOGGED}"
CUSTOMER_CHANGED = (
    rf"{LOGGED}( Customer\.name)?|{POLICY_KEPT}( Customer\.name)? Customer\.policy_id"
)
POLICY_MADE = rf"{POLICY_KEPT} \+Policy"
POLICY_CHANGED = rf"{POLICY_KEPT}( Policy\.(recovery|reset_interval|threshold_\d))+"
POLICY_DELETED = rf"{POLICY_KEPT} -Policy"
PINNED = r"Counter\.pinned_priority Counter\.pinned_until"
CORRECTED = {
    RESET: rf"\+Event\(reset\) {LOGGED} Counter\.pending_documents Counter\.recovered_at"
    r" Counter\.updated_at",
    PIN: rf"\+Event\(pin\) {LOGGED} {PINNED}",
    UNPIN: rf"\+Event\(unpin\) {LOGGED} {PINNED}",
    FORGET: rf"\+Event\(forget\) {LOGGED} -Counter -Customer -DocumentDecision -Event\(reset\)",
}
"""What a form stands for: a pattern of the difference that it makes, whole."""


@dataclass(frozen=True)
class Form:
    """Where it is sent, the values of its fields, percent-encoded, and what it stands for."""

    path: str
    fields: dict[str, str]
    stores: str = NOTHING
    others: tuple[str, ...] = ()
    """Fields that browsers leave out."""

    def body(self, **changed: str) -> bytes:
        return _joined({**self.fields, **changed})

    def without(self, field: str) -> bytes:
        return _joined({name: value for name, value in self.fields.items() if name != field})

    def with_fields(self, count: int) -> bytes:
        return self.body(**{f"field-{number}": "1" for number in range(count)})

    def in_parts(self, field: str, value: bytes, *, charset: str) -> tuple[bytes, str]:
        """Body and content type, in a charset that browsers never use."""
        parts = [
            b'--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
            % (BOUNDARY.encode(), name.encode(), value if name == field else given.encode())
            for name, given in {**self.fields, field: ""}.items()
        ]
        kind = f"multipart/form-data; boundary={BOUNDARY}; charset={charset}"
        return b"".join((*parts, b"--%s--\r\n" % BOUNDARY.encode())), kind


def admin_forms() -> Iterator[Form]:
    customer, policy = Customer.objects.get(key="acme"), Policy.objects.get(name="gold")
    yield from _customer_forms(customer, policy)
    yield from _policy_forms(policy)
    corrected = {
        "customers": f"{customer.pk}",
        "seen": f"{Event.objects.latest('pk').pk}",
        "list": "",
        "reason": "r",
    }
    pinned = {**corrected, "priority": "2", "until": quote_plus(LATER)}
    for name, stores in CORRECTED.items():
        yield Form(reverse(name), pinned if name == PIN else corrected, stores)
    for action in ("reset_priority", "export_as_csv", "delete_selected"):
        yield Form(reverse(CUSTOMERS), _ticked(action, customer.pk))
    yield Form(address("event_changelist"), _ticked("delete_selected", 1))


def _customer_forms(customer: Customer, policy: Policy) -> Iterator[Form]:
    yield Form(
        address("customer_add"),
        {"key": "new", "name": "New", "policy": f"{policy.pk}"},
        CUSTOMER_MADE,
    )
    shown = {"initial-name": "x", "initial-policy": "", "_continue": "1"}
    yield Form(
        address("customer_change", customer.pk),
        {
            "name": "New",
            "policy": f"{policy.pk}",
            **shown,
            "reason": "r",
            "policy_seen": f"|{policy.name}",
        },
        CUSTOMER_CHANGED,
        others=("_saveasnew", "_popup", "_to_field"),
    )


def _policy_forms(policy: Policy) -> Iterator[Form]:
    yield Form(address("policy_add"), _encoded(typed(name="new", reason="r")), POLICY_MADE)
    changed = typed(reset_interval=2000, reason="r", terms_opened="", terms_seen="", moves_seen="")
    yield Form(change_of(policy), _encoded(changed), POLICY_CHANGED)
    deleted = {"post": "yes", "reason": "r"}
    yield Form(address("policy_delete", policy.pk), deleted, POLICY_DELETED)
    ticked = {**_ticked("delete_selected", policy.pk), "post": "yes"}
    yield Form(address("policy_changelist"), ticked, POLICY_DELETED)


def _ticked(action: str, pk: int) -> dict[str, str]:
    return {"action": action, "index": "0", "_selected_action": f"{pk}", "select_across": "0"}


def _encoded(fields: dict[str, object]) -> dict[str, str]:
    return {name: quote_plus(str(value)) for name, value in fields.items()}


def _joined(fields: dict[str, str]) -> bytes:
    return "&".join(f"{name}={value}" for name, value in fields.items()).encode()
