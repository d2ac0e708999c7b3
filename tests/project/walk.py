"""Every page of the admin and of the example portal, as the server sends it.

What the data says stands between the marks of the pseudo language, or is no word at all.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client as Browser
from django.urls import reverse

from doc_priority import services
from doc_priority.models import Customer, Event, Policy
from example_project.demo.people import create_people
from example_project.portal.models import Client, Document
from example_project.portal.services import create_client
from tests.admin.customers import at_priority, at_rest, pinned
from tests.factories import CustomerFactory, DocumentDecisionFactory, PolicyFactory, now

Step = Callable[[Browser], Any]

RULES = ("idle", "window", "halving")


def fill() -> None:
    """Customers at every priority, with a history, and clients with documents in every state."""
    for recovery in RULES:
        PolicyFactory.create(name=f"⟦{recovery}⟧", recovery=recovery)
    for priority in range(1, 10):
        policy = Policy.objects.get(name=f"⟦{RULES[priority % 3]}⟧")
        at_priority(priority, key=f"10{priority}", name=f"⟦{priority}⟧", policy=policy)
    at_rest(key="200", name="⟦200⟧")
    pinned(2, key="201", name="⟦201⟧")
    CustomerFactory.create(key="202", name="⟦202⟧", policy=None)
    client = create_client(key="300", name="⟦300⟧")
    create_people(client=client)
    _name_people_without_words()
    _history(Customer.objects.get(key="107"))
    _documents(client)


def _name_people_without_words() -> None:
    for user in User.objects.all():
        User.objects.filter(pk=user.pk).update(username=f"⟦{user.username}⟧")


def _history(customer: Customer) -> None:
    for hours in range(1, 20, 3):
        moment = now() - timedelta(hours=hours)
        DocumentDecisionFactory.create(
            customer=customer, document=f"{hours}", decided_at=moment, priority=hours % 9 + 1
        )
    told: dict[str, Any] = {"actor": "⟦somebody⟧", "reason": "⟦reason⟧", "source": "⟦source⟧"}
    services.pin("107", priority=3, until=now() + timedelta(hours=1), **told)
    services.reset("107", **told)
    services.unpin("107", **told)
    services.forget("200", **told)
    services.change_policy("⟦window⟧", reset_interval=3000, **told)
    for source in ("admin", "api", "command"):
        services.reset("106", **(told | {"source": source}))


def _documents(client: Client) -> None:
    for number, status in enumerate(Document.Status.values):
        Document.objects.create(
            client=client,
            reference=f"{number}",
            name=f"⟦{number}⟧",
            status=status,
            error="It cannot be read. Scan it again and drop the new file."
            if status == Document.Status.FAILED
            else "",
            priority=number + 1,
            level=number,
            pending_documents=-number,
            policy="⟦idle⟧" if number % 2 else "",
            pinned=number == 3,
            started_at=None if status == Document.Status.QUEUED else now(),
            finished_at=now() if status in ("done", "failed") else None,
        )


def to(name: str, /, *arguments: Any, **query: Any) -> Step:
    def step(browser: Browser) -> Any:
        found = [argument() if callable(argument) else argument for argument in arguments]
        asked = {key: value() if callable(value) else value for key, value in query.items()}
        return browser.get(reverse(name, args=found), asked, follow=True)

    return step


def sent(name: str, /, *arguments: Any, **form: Any) -> Step:
    """What answers a form, after the redirect if there is one."""

    def step(browser: Browser) -> Any:
        found = [argument() if callable(argument) else argument for argument in arguments]
        values = {key: value() if callable(value) else value for key, value in form.items()}
        return browser.post(reverse(name, args=found), values, follow=True)

    return step


def customer(key: str = "107") -> Callable[[], int]:
    return lambda: Customer.objects.get(key=key).pk


def policy(name: str = "⟦idle⟧") -> Callable[[], int]:
    return lambda: Policy.objects.get(name=name).pk


def event(kind: str, **fields: str) -> Callable[[], int]:
    return lambda: Event.objects.filter(kind=kind, **fields).latest("pk").pk


def of(name: str) -> str:
    return f"admin:doc_priority_{name}"


def as_nobody(step: Step) -> Step:
    return lambda browser: step(Browser())


def as_person(username: str, step: Step) -> Step:
    def taken(browser: Browser) -> Any:
        other = Browser()
        other.force_login(User.objects.get(username=f"⟦{username}⟧"))
        return step(other)

    return taken


def at(address: str) -> Step:
    return lambda browser: browser.get(address)


def page_of(response: HttpResponse) -> str:
    assert response.status_code != 500
    assert response["Content-Type"].startswith("text/html"), response["Content-Type"]
    return response.content.decode()
