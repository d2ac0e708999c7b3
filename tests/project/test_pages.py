"""No page shows a word that is not marked for translation, or that one language does not have.

Every page is read in a pseudo language: each message that all languages have is itself between two
marks, so what stands outside of them is not marked, or not everywhere. The data of these pages
stands between the marks too, or is no word at all.
"""

import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any
from uuid import uuid4

import django
import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from django.apps import apps
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client as Browser
from django.urls import reverse

from doc_priority import services
from doc_priority.models import Customer, Event, Policy
from example_project import settings as portal
from example_project.demo.data import create_people
from example_project.portal.models import Client, Document
from example_project.portal.services import create_client
from example_project.portal.tasks import UNREADABLE
from tests.factories import (
    CustomerFactory,
    DocumentDecisionFactory,
    PolicyFactory,
    at_priority,
    at_rest,
    now,
    pinned,
)
from tests.project.test_translations import Message, read
from tests.translations import LANGUAGES

pytestmark = [
    pytest.mark.sqlite,
    pytest.mark.plain,
    pytest.mark.django_db,
    pytest.mark.urls("example_project.urls"),
]

PSEUDO = "ia"
"""The code of a language that Django knows and has no formats of its own for."""

LEFT_IN_ENGLISH = (
    *("Breadcrumbs", "View", "View %s", "Error:", "Run", "Search %(name)s", "Pagination %(name)s"),
    "- Select an option -",
)
"""What the admin's own pages say and Django has not translated into each of our languages."""

DJANGO_S_PICTURE = "Search"
"""The `alt` of the magnifying glass beside Django's search field, which is not marked."""


def said_in(language: str) -> dict[str, Message]:
    """What this language has of us, of Django and of the other apps; the first app counts."""
    found: dict[str, Message] = {}
    folders = [app.path for app in apps.get_app_configs()]
    for folder in (*folders, Path(django.__file__).parent / "conf"):
        path = Path(folder, "locale", language, "LC_MESSAGES", "django.mo")
        if path.exists():
            found = read(path) | found
    return found


@pytest.fixture(scope="session")
def pseudo_language(tmp_path_factory: pytest.TempPathFactory) -> Path:
    said, *others = map(said_in, LANGUAGES)
    catalog = Catalog(charset="utf-8")
    for key in set(said).intersection(*others):
        sources = said[key].sources
        marked = tuple(f"⟦{source}⟧" for source in sources)
        context = key.partition("\x04")[0] if "\x04" in key else None
        plural = len(sources) > 1
        catalog.add(*((sources, marked) if plural else (sources[0], marked[0])), context=context)
    for source in LEFT_IN_ENGLISH:
        catalog.add(source, f"⟦{source}⟧")
    folder = tmp_path_factory.mktemp("locale")
    path = folder / PSEUDO / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_mo(file, catalog)
    return folder


def unmarked(page: str) -> list[str]:
    """What a page shows or reads out with letters in it, outside of all marks."""
    for elements in (r"code|pre|script|style|textarea", r"(?!html)\w+(?=[^>]* lang=)"):
        # Text for programs, what somebody typed, and what says that it is in another language.
        page = re.sub(rf"<({elements})\b.*?</\1>", " ", page, flags=re.DOTALL)
    shown = "alt|aria-label|aria-description|data-label|placeholder|title"
    by_script = "data-(?:back|changed|gone|lost|pause|refused|resume|sign-in|signed-out)"
    said = re.findall(rf'\s(?:{shown}|{by_script})="([^"]*)"', page)
    for button in re.findall(r'<input\b[^>]*type="(?:button|reset|submit)"[^>]*>', page):
        said += re.findall(r'\svalue="([^"]*)"', button)
    said = [one for one in said if one != DJANGO_S_PICTURE]
    text = unescape(" | ".join([re.sub(r"<[^>]*>", " ", page), *said]))
    # Names that the portal makes up, and the time zone of the tests.
    text = re.sub(r"\b(?:document-\d+\.pdf|CES?T)\b", "", text)
    marks = 1
    while marks:
        text, marks = re.subn("⟦[^⟦⟧]*⟧", "", text)
    return re.findall(r"[^\W\d_]{2,}", text)


class Reader(Browser):
    """Reads every page it comes to."""

    def request(self, **request: Any) -> HttpResponse:
        response = super().request(**request)
        assert response.status_code != 500
        if response["Content-Type"].startswith("text/html"):
            found = unmarked(response.content.decode())
            assert found == [], (request["PATH_INFO"], request["QUERY_STRING"], found)
        return response


@pytest.fixture
def reader(pseudo_language: Path, settings: Any, db: None) -> Reader:
    """Of somebody with all permissions, in the portal."""
    for name in ("LOGIN_URL", "LOGIN_REDIRECT_URL", "REST_KNOX", "TASKS"):
        setattr(settings, name, getattr(portal, name))
    settings.LOCALE_PATHS = [pseudo_language]
    settings.LANGUAGES = [(PSEUDO, "⟦0⟧")]
    settings.LANGUAGE_CODE = PSEUDO
    reader = Reader()
    reader.force_login(User.objects.create_superuser("⟦0⟧"))
    return reader


@pytest.fixture
def filled(db: None) -> None:
    """Customers at every priority, with a history, and clients with documents in every state."""
    rules = ("idle", "window", "halving")
    for recovery in rules:
        PolicyFactory.create(name=f"⟦{recovery}⟧", recovery=recovery)
    for priority in range(1, 10):
        policy = Policy.objects.get(name=f"⟦{rules[priority % 3]}⟧")
        at_priority(priority, key=f"10{priority}", name=f"⟦{priority}⟧", policy=policy)
    at_rest(key="200", name="⟦200⟧")
    pinned(2, key="201", name="⟦201⟧")
    CustomerFactory.create(key="202", name="⟦202⟧", policy=None)
    for hours in range(1, 20, 3):
        DocumentDecisionFactory.create(
            customer=Customer.objects.get(key="107"),
            document=f"{hours}",
            decided_at=now() - timedelta(hours=hours),
            priority=hours % 9 + 1,
        )
    told: dict[str, Any] = {"actor": "⟦somebody⟧", "reason": "⟦reason⟧", "source": "⟦source⟧"}
    services.pin("107", priority=3, until=now() + timedelta(hours=1), **told)
    services.reset("107", **told)
    services.unpin("107", **told)
    services.forget("200", **told)
    services.change_policy("⟦window⟧", reset_interval=3000, **told)
    for source in ("admin", "api", "command"):
        services.reset("106", **(told | {"source": source}))

    client = create_client(key="300", name="⟦300⟧")
    create_people(client=client)
    for user in User.objects.exclude(username__startswith="⟦"):
        User.objects.filter(pk=user.pk).update(username=f"⟦{user.username}⟧")
    for number, status in enumerate(Document.Status.values):
        failed = status == Document.Status.FAILED
        Document.objects.create(
            client=client,
            reference=f"{number}",
            name=f"⟦{number}⟧",
            status=status,
            error=UNREADABLE if failed else "",
            priority=number + 1,
            level=number,
            pending_documents=-number,
            policy="⟦idle⟧" if number % 2 else "",
            pinned=number == 3,
            started_at=None if status == Document.Status.QUEUED else now(),
            finished_at=now() if status in ("done", "failed") else None,
        )


def of(name: str, *arguments: Any) -> str:
    return reverse(f"admin:doc_priority_{name}", args=arguments)


def customer(key: str = "107") -> int:
    return Customer.objects.get(key=key).pk


def signed_in(username: str) -> Reader:
    reader = Reader()
    reader.force_login(User.objects.get(username=f"⟦{username}⟧"))
    return reader


def test_what_is_not_marked_is_found() -> None:
    """Else the tests below would say nothing."""
    for page, found in (
        ("<p>⟦all⟧ 12 – ⟦of it⟧</p>", []),
        ("<p>⟦all <b>of</b> it⟧</p>", []),
        ("<p>⟦a⟧ word</p>", ["word"]),
        ("<p>⟦a ⟦nested⟧ message⟧ here</p>", ["here"]),
        ('<img alt="word"><input type="submit" value="go"><input value="typed">', ["word", "go"]),
        ('<html lang="ia"><i lang="pl">słowo</i> <code>word</code> after', ["after"]),
        ('<div class="dp-polling" data-pause="Pause" data-url="/live/"></div>', ["Pause"]),
    ):
        assert unmarked(page) == found, page


def test_pages_with_nothing_on_them(reader: Reader) -> None:
    for name in ("customer_changelist", "dashboard", "policy_changelist", "event_changelist"):
        reader.get(of(name))
    for name in ("start", "documents", "queue"):
        reader.get(reverse(f"portal:{name}"))
    reader.get(of("rule"))


def test_pages_of_customers(reader: Reader, filled: None) -> None:
    listed = of("customer_changelist")
    for query in ("", "?q=0000", "?priority=7-9&state=counting", "?priority=0", "?0=0", "?p=9"):
        reader.get(listed + query)
    for ticked in ({}, {"_selected_action": customer("109")}, {"_selected_action": "-"}):
        reader.post(listed, {"action": "reset_priority", "index": 0, **ticked}, follow=True)
    for key in ("107", "201", "202", "108", "104"):
        reader.get(of("customer_change", customer(key)))
    for address in (
        reverse("admin:index"),
        reverse("admin:app_list", args=["doc_priority"]),
        of("dashboard"),
        of("customer_change", 0),
        of("customer_history", customer()),
        of("customer_add"),
    ):
        reader.get(address, follow=True)
    for key in ("ä ", "107", "400"):
        reader.post(of("customer_add"), {"key": key, "name": "⟦name⟧"}, follow=True)
    policy = Policy.objects.get(name="⟦idle⟧").pk
    for reason in ({}, {"reason": "⟦reason⟧", "policy_seen": "|⟦idle⟧"}):
        typed = {"name": "⟦202⟧", "policy": policy, **reason}
        reader.post(of("customer_change", customer("202")), typed, follow=True)
    signed_in("viewer").get(of("customer_change", customer()))


def test_pages_of_corrections(reader: Reader, filled: None) -> None:
    for name, key in (("reset", "107"), ("pin", "107"), ("forget", "107"), ("unpin", "201")):
        reader.get(of(f"customer_{name}"), {"customer": customer(key)}, follow=True)
    reader.get(of("customer_reset"), {"customer": 0}, follow=True)
    reason = {"reason": "⟦reason⟧"}
    soon = (now() + timedelta(hours=3)).strftime("%Y-%m-%dT%H:%M")
    for name, key, typed in (
        ("reset", "109", {"reason": " "}),
        ("reset", "109", {"reason": "⟦\u202e⟧"}),
        ("reset", "107", reason),  # This has happened since the page was opened.
        ("reset", "109", reason),
        ("pin", "109", {"reason": " ", "priority": "0", "until": "-"}),
        ("pin", "109", {**reason, "priority": "1", "until": "2001-01-01T00:00"}),
        ("pin", "109", {**reason, "priority": "1", "until": "9999-01-01T00:00"}),
        ("pin", "105", {**reason, "priority": "2", "until": soon}),
        ("unpin", "201", reason),
        ("unpin", "103", reason),
        ("forget", "101", reason),
    ):
        sent = {"customers": customer(key), "seen": 0, **typed}
        reader.post(of(f"customer_{name}"), sent, follow=True)


def test_pages_of_policies(reader: Reader, filled: None) -> None:
    thresholds = (-2, -4, -6, -8, -10, -12, -14, -20)
    typed = {f"threshold_{place}": value for place, value in enumerate(thresholds, start=1)}
    typed |= {"name": "⟦name⟧", "reset_interval": 1500, "recovery": "idle"}
    typed |= {"reason": "⟦reason⟧"}
    reader.get(of("policy_add"))
    for changes in (
        {"threshold_3": "-1", "reset_interval": "1", "reason": " "},
        dict.fromkeys(typed, ""),
        {},
        {"name": "⟦idle⟧"},
    ):
        reader.post(of("policy_add"), typed | changes, follow=True)
    made, used = (Policy.objects.get(name=name).pk for name in ("⟦name⟧", "⟦idle⟧"))
    for name in ("change", "delete"):
        for policy in (made, used):
            reader.get(of(f"policy_{name}", policy), follow=True)
    opened = {f"initial-{name}": value for name, value in typed.items() if name != "name"}
    opened |= {"initial-reset_interval": "600"}
    for changes in (
        {},
        {**opened, "reset_interval": "3000"},
        {"reset_interval": "3000", "threshold_2": "-1"},
    ):
        reader.post(of("policy_change", used), typed | changes, follow=True)
    ticked = {"action": "delete_selected", "_selected_action": used}
    reader.post(of("policy_changelist"), ticked, follow=True)
    reader.post(of("policy_delete", made), {"post": "yes"}, follow=True)
    reader.get(of("policy_changelist"))
    for name in ("idle", "window", "halving", "none"):
        reader.get(of("rule"), {"policy": f"⟦{name}⟧"})
    reader.get(of("rule"))


def test_pages_of_events_and_of_the_portal_s_own_admin(reader: Reader, filled: None) -> None:
    for query in ("", "?q=0000", "?kind__exact=0"):
        reader.get(of("event_changelist") + query)
    for event in Event.objects.all():
        reader.get(of("event_change", event.pk))
    for model in (Client, Document):
        name = f"admin:portal_{model._meta.model_name}"
        reader.get(reverse(f"{name}_changelist"))
        reader.get(reverse(f"{name}_change", args=[model.objects.latest("pk").pk]))


def test_pages_of_the_portal(reader: Reader, filled: None) -> None:
    def at(name: str, *arguments: Any) -> str:
        return reverse(f"portal:{name}", args=arguments)

    nobody = Reader()
    nobody.get(at("start"))
    nobody.get(at("login"))
    nobody.post(at("login"), {"username": "0", "password": "0"})
    for name in ("start", "documents", "queue", "create"):
        reader.get(at(name))
    reader.get(at("start"), {"search": "0000"})
    reader.get(at("client", "300"))
    signed_in("client").get(at("client", "300"))
    twenty = {"token": uuid4(), "names": "0\n" * 20}
    for dropped in (
        {"token": uuid4()},
        {"token": uuid4(), "number": 999, "names": "0\n1"},
        {"token": uuid4(), "names": "0" * 201},
        {"token": uuid4(), "number": 0},
        {"token": uuid4(), "number": 1},
        twenty,
        twenty,
    ):
        reader.post(at("drop", "300"), dropped, follow=True)
    reader.get(at("client", "300"))
    for status in Document.Status.values:
        reader.get(at("documents"), {"status": status})
    failed = Document.objects.get(status="failed")
    reader.post(at("try-again", failed.pk), follow=True)
    reader.get(at("documents"), {"status": "failed"})
    for key, name in (("ä", ""), ("107", "⟦107⟧"), ("301", "⟦301⟧")):
        reader.post(at("create"), {"key": key, "name": name}, follow=True)
    reader.get(at("rename", "301"))
    reader.post(at("rename", "301"), {"name": "⟦302⟧"}, follow=True)
    reader.get(at("delete", "301"))
    reader.post(at("delete", "301"), follow=True)
    viewer = signed_in("viewer")
    viewer.get(at("create"))
    reader.get("/0/")
