"""Every page of the admin and of the example portal, in every state that says something else."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from example_project.portal.models import Client, Document
from tests.factories import now
from tests.project.walk import (
    RULES,
    Step,
    as_nobody,
    as_person,
    at,
    customer,
    event,
    of,
    policy,
    sent,
    to,
)

THRESHOLDS = ("-2", "-4", "-6", "-8", "-10", "-12", "-14", "-20")
POLICY_FORM = {
    "name": "⟦name⟧",
    "reset_interval": "1500",
    "recovery": "idle",
    "reason": "⟦reason⟧",
    **{f"threshold_{place}": value for place, value in enumerate(THRESHOLDS, start=1)},
}
REASON = {"reason": "⟦reason⟧"}


def correction(name: str, /, **form: Any) -> Step:
    return sent(of(f"customer_{name}"), customers=customer("109"), seen=0, **form)


def _until() -> str:
    return (now() + timedelta(hours=3)).strftime("%Y-%m-%dT%H:%M")


def new_policy(**fields: str) -> Step:
    return sent(of("policy_add"), **(POLICY_FORM | fields))


def changed_policy(**fields: str) -> Step:
    return sent(of("policy_change"), policy(), **(POLICY_FORM | fields))


EMPTY: dict[str, Step] = {
    "list": to(of("customer_changelist")),
    "dashboard": to(of("dashboard")),
    "policies": to(of("policy_changelist")),
    "events": to(of("event_changelist")),
    "rule": to(of("rule")),
    "start": to("portal:start"),
    "documents": to("portal:documents"),
    "queue": to("portal:queue"),
    "tokens": to("portal:tokens"),
}
ADMIN: dict[str, Step] = {
    "index": to("admin:index"),
    "app": to("admin:app_list", "doc_priority"),
    "list": to(of("customer_changelist")),
    "nobody": to(of("customer_changelist"), q="0000"),
    "filtered": to(of("customer_changelist"), priority="7-9", state="counting"),
    "ticked nothing": sent(of("customer_changelist"), action="reset_priority", index=0),
    "ticked": sent(
        of("customer_changelist"),
        action="reset_priority",
        index=0,
        _selected_action=customer("109"),
    ),
    "customer": to(of("customer_change"), customer()),
    "pinned": to(of("customer_change"), customer("201")),
    "never": to(of("customer_change"), customer("202")),
    "halving": to(of("customer_change"), customer("108")),
    "window": to(of("customer_change"), customer("104")),
    "no customer": to(of("customer_change"), 0),
    "customer history": to(of("customer_history"), customer()),
    "new customer": to(of("customer_add")),
    "new customer with a mistake": sent(of("customer_add"), key="ä ", name="⟦name⟧"),
    "customer who exists": sent(of("customer_add"), key="107", name="⟦name⟧"),
    "customer made": sent(of("customer_add"), key="400", name="⟦400⟧"),
    "customer saved": sent(of("customer_change"), customer("202"), name="⟦202⟧", policy=policy()),
    **{
        name: to(of(f"customer_{name}"), customer=customer()) for name in ("reset", "pin", "forget")
    },
    "unpin": to(of("customer_unpin"), customer=customer("201")),
    "reset of nobody": to(of("customer_reset"), customer=0),
    "reset with a mistake": correction("reset", reason=" "),
    "reset meanwhile": sent(of("customer_reset"), customers=customer(), seen=0, **REASON),
    "reset done": correction("reset", **REASON),
    "pin with a mistake": correction("pin", reason=" ", priority="0", until="-"),
    "pin in the past": correction("pin", priority="1", until="2001-01-01T00:00", **REASON),
    "pin too late": correction("pin", priority="1", until="9999-01-01T00:00", **REASON),
    "reason that cannot be shown": correction("reset", reason="⟦\u202e⟧"),
    "pinned by hand": correction("pin", priority="2", until=_until, **REASON),
    "unpinned": sent(of("customer_unpin"), customers=customer("201"), seen=0, **REASON),
    "nothing to unpin": sent(of("customer_unpin"), customers=customer("103"), seen=0, **REASON),
    "forgotten": sent(of("customer_forget"), customers=customer("101"), seen=0, **REASON),
    "dashboard": to(of("dashboard")),
    "policies": to(of("policy_changelist")),
    "new policy": to(of("policy_add")),
    "mistakes": new_policy(threshold_3="-1", reset_interval="1", reason=" "),
    "nothing filled in": sent(of("policy_add")),
    "policy made": new_policy(),
    "policy whose name is taken": new_policy(name="⟦idle⟧"),
    "policy": to(of("policy_change"), policy()),
    "policy unchanged": changed_policy(),
    "policy that somebody else changed": changed_policy(
        terms_opened="600 idle -1,-2,-3,-4,-5,-6,-7,-8", reset_interval="3000"
    ),
    "policy that moves": changed_policy(reset_interval="3000", threshold_2="-1"),
    "policy in use": to(of("policy_delete"), policy()),
    "policy to delete": to(of("policy_delete"), policy("⟦name⟧")),
    "policies to delete": sent(
        of("policy_changelist"), action="delete_selected", _selected_action=policy()
    ),
    "policy history": to(of("policy_history"), policy()),
    "policy deleted": sent(of("policy_delete"), policy("⟦name⟧"), post="yes"),
    "events": to(of("event_changelist")),
    "no event": to(of("event_changelist"), q="0000"),
    **{
        f"event of a {kind}": to(of("event_change"), event(kind))
        for kind in ("reset", "pin", "unpin", "policy", "forget")
    },
    **{
        f"event of {source}": to(of("event_change"), event("reset", source=source))
        for source in ("admin", "api", "command")
    },
    "rule": to(of("rule")),
    **{f"rule of {name}": to(of("rule"), policy=f"⟦{name}⟧") for name in (*RULES, "none")},
    "clients": to("admin:portal_client_changelist"),
    "client": to("admin:portal_client_change", lambda: Client.objects.get().pk),
    "documents": to("admin:portal_document_changelist"),
    "document": to("admin:portal_document_change", lambda: Document.objects.latest("pk").pk),
    "for viewers": as_person("viewer", to(of("customer_change"), customer())),
}
PORTAL: dict[str, Step] = {
    "welcome": as_nobody(to("portal:start")),
    "login": as_nobody(to("portal:login")),
    "wrong password": as_nobody(sent("portal:login", username="0", password="0")),
    "start": to("portal:start"),
    "none found": to("portal:start", search="0000"),
    "client": to("portal:client", "300"),
    "client's own": as_person("client", to("portal:client", "300")),
    "nothing to drop": sent("portal:drop", "300", token=uuid4),
    "too many": sent("portal:drop", "300", token=uuid4, number=999, names="0\n1"),
    "too long": sent("portal:drop", "300", token=uuid4, names="0" * 201),
    "not a number": sent("portal:drop", "300", token=uuid4, number=0),
    "dropped": sent("portal:drop", "300", token=str(uuid4()), number=1),
    "many dropped": sent("portal:drop", "300", token=(token := str(uuid4())), names="0\n" * 20),
    "dropped again": sent("portal:drop", "300", token=token, names="0\n" * 20),
    "client that counts": to("portal:client", "300"),
    "documents": to("portal:documents"),
    **{f"{one} documents": to("portal:documents", status=one) for one in Document.Status.values},
    "queue": to("portal:queue"),
    "tried again": sent("portal:try-again", lambda: Document.objects.get(reference="3").pk),
    "no failed documents": to("portal:documents", status="failed"),
    "tokens": to("portal:tokens"),
    "new token": sent("portal:tokens"),
    "tokens of a viewer": as_person("viewer", to("portal:tokens")),
    "new client": to("portal:create"),
    "client with a mistake": sent("portal:create", key="ä", name=""),
    "client who is a customer": sent("portal:create", key="107", name="⟦107⟧"),
    "client made": sent("portal:create", key="301", name="⟦301⟧"),
    "rename": to("portal:rename", "301"),
    "renamed": sent("portal:rename", "301", name="⟦302⟧"),
    "delete": to("portal:delete", "301"),
    "deleted": sent("portal:delete", "301"),
    "forbidden": as_person("viewer", to("portal:create")),
    "not found": at("/0/"),
}
