"""Every page of the admin, in every state that looks different, and how to get there."""

from collections.abc import Callable
from datetime import timedelta

from django.contrib.auth.models import User

from doc_priority import services
from doc_priority.models import Customer, Event, Policy
from tests.admin.customers import at_priority, at_rest, pinned
from tests.browser.admin_page import CUSTOMER, LIST, AdminPage
from tests.factories import CustomerFactory, DocumentDecisionFactory, PolicyFactory, now

Way = Callable[[AdminPage], None]

LONG_NAME = "Przedsiębiorstwo Wielobranżowe Sosnobrzeg i Wspólnicy spółka z ograniczoną " * 2
NAMES = ("Aldermoor Freight Ltd", "شركة النور للنقل", "Ahrensbeck <b>Logistik</b> GmbH", LONG_NAME)


def fill(maria: User) -> None:
    """Customers at every priority, and a history of the one whose key is `acme`."""
    PolicyFactory.create(name="Contract", recovery="halving")
    for priority in range(1, 10):
        name = NAMES[priority % len(NAMES)]
        at_priority(priority, key=f"C100{priority}", name=name)
    at_rest(key="rest", name="Elmstow Timber Ltd")
    pinned(2, key="C2001", name="Falkenrode Druck GmbH")
    CustomerFactory.create(key="C2002", name="Inkersall", policy=Policy.objects.get())
    acme = at_priority(7, key="acme", name="Acme GmbH")
    for hours in range(1, 20, 3):
        moment = now() - timedelta(hours=hours)
        DocumentDecisionFactory.create(customer=acme, decided_at=moment, priority=hours % 9 + 1)
    services.pin("acme", priority=3, until=now() + timedelta(hours=1), actor=maria, reason="Audit")
    services.reset("acme", actor=maria, reason="Sent twice by mistake", source="admin")
    services.unpin("acme", actor=maria, reason="Audit is over")


def acme() -> int:
    return Customer.objects.get(key="acme").pk


def to(name: str, **query: object) -> Way:
    return lambda admin: admin.visit(f"doc_priority_{name}", **query)


def to_customer(admin: AdminPage) -> None:
    admin.visit(CUSTOMER, acme())
    admin.click("summary")


def to_correction(name: str) -> Way:
    return lambda admin: admin.visit(f"doc_priority_customer_{name}", customer=acme())


def to_mistake_in(name: str) -> Way:
    """A reason of spaces passes the browser, and the server says what is wrong."""

    def way(admin: AdminPage) -> None:
        to_correction(name)(admin)
        for choice in admin.all("#id_priority option:last-child"):
            choice.click()
        admin.type("#id_reason", "   ")
        admin.click(".dp-main")
        admin.one(".dp-error")

    return way


def to_what_somebody_did_meanwhile(admin: AdminPage) -> None:
    to_correction("reset")(admin)
    services.reset("acme", actor="jonas", reason="Asked on the phone")
    admin.type("#id_reason", "Sent twice")
    admin.click(".dp-main")
    admin.one(".dp-warning")


def to_success(admin: AdminPage) -> None:
    to_correction("reset")(admin)
    admin.type("#id_reason", "Sent twice")
    admin.click(".dp-main")
    admin.says("1 customer was reset.")


def to_many(admin: AdminPage) -> None:
    pks = ",".join(str(pk) for pk in Customer.objects.values_list("pk", flat=True))
    admin.visit("doc_priority_customer_reset", customer=pks)


def to_ticked_list(admin: AdminPage) -> None:
    admin.visit(LIST)
    admin.tick(*Customer.objects.filter(key__in=("acme", "C2001")))


def to_policy(admin: AdminPage) -> None:
    admin.visit("doc_priority_policy_change", Policy.objects.get().pk)


def to_mistaken_policy(admin: AdminPage) -> None:
    admin.visit("doc_priority_policy_add")
    admin.type("#id_name", "Wrong")
    admin.one("#id_threshold_3").clear()
    admin.type("#id_threshold_3", "-1")
    admin.click("[name=_save]")
    admin.one("#id_threshold_3[aria-invalid=true]")


def to_policy_deletion(admin: AdminPage) -> None:
    Customer.objects.update(policy=None)
    admin.visit("doc_priority_policy_delete", Policy.objects.get().pk)


def to_policy_in_use(admin: AdminPage) -> None:
    """Its deletion is refused, and the list says why."""
    admin.visit("doc_priority_policy_delete", Policy.objects.get().pk)


def to_pinned(admin: AdminPage) -> None:
    admin.visit(CUSTOMER, Customer.objects.get(key="C2001").pk)


def to_rule_of(recovery: str) -> Way:
    def way(admin: AdminPage) -> None:
        Policy.objects.update(recovery=recovery)
        admin.visit("doc_priority_rule", policy="Contract")

    return way


def done(name: str, key: str, **typed: str) -> Way:
    """What is said in the end, in whatever language."""

    def way(admin: AdminPage) -> None:
        admin.visit(f"doc_priority_customer_{name}", customer=Customer.objects.get(key=key).pk)
        for field, value in typed.items():
            admin.script(
                "document.getElementById(arguments[0]).value = arguments[1]", f"id_{field}", value
            )
        admin.type("#id_reason", "Ω")
        admin.click(".dp-main")
        admin.until(lambda: not admin.all(".dp-correcting"), "The page that asks stays.")

    return way


def to_history(name: str, model: type[Customer | Policy]) -> Way:
    return lambda admin: admin.visit(f"doc_priority_{name}_history", model.objects.latest("pk").pk)


def to_event(admin: AdminPage) -> None:
    event = Event.objects.filter(kind=Event.Kind.RESET).latest("created_at")
    admin.visit("doc_priority_event_change", event.pk)


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
    "pinned customer": to_pinned,
    "new customer": to("customer_add"),
    "customer who was reset": to_success,
    "reset": to_correction("reset"),
    "reset of many": to_many,
    "reset with a mistake": to_mistake_in("reset"),
    "reset that somebody else did": to_what_somebody_did_meanwhile,
    "pin": to_correction("pin"),
    "pin with a mistake": to_mistake_in("pin"),
    "unpin": to_correction("unpin"),
    "forget": to_correction("forget"),
    "dashboard": to("dashboard"),
    "policies": to("policy_changelist"),
    "new policy": to("policy_add"),
    "new policy with a mistake": to_mistaken_policy,
    "policy": to_policy,
    "policy in use": to_policy_in_use,
    "policy to delete": to_policy_deletion,
    "events": to("event_changelist"),
    "event": to_event,
    "how priorities work": to("rule"),
    "how a window works": to_rule_of("window"),
    "how halving works": to_rule_of("halving"),
}
AROUND: dict[str, Way] = {
    "index": lambda admin: admin.visit("index"),
    "apps": lambda admin: admin.visit("app_list", "doc_priority"),
    "customer's history": to_history("customer", Customer),
    "policy's history": to_history("policy", Policy),
    "pinned by hand": done("pin", "C1002", priority="2", until="2126-11-18T10:00"),
    "unpinned by hand": done("unpin", "C2001"),
    "reset by hand": done("reset", "C1003"),
    "forgotten": done("forget", "C1004"),
}
"""Pages of Django with our words on them, and what is said once something is done."""
