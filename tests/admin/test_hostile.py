"""What nobody should send to the admin: refused or harmless, nothing done by half."""

import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from random import Random
from typing import Any
from urllib.parse import quote_plus, urlencode

import pytest
from django.contrib import admin as django_admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.messages import ERROR, get_messages
from django.db import transaction
from django.test import Client

from doc_priority import services
from doc_priority.models import Customer, Event, Policy
from tests.databases import everything_stored
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory

pytestmark = [pytest.mark.proof, pytest.mark.sqlite, pytest.mark.django_db]

FORM = "application/x-www-form-urlencoded"
MARKUP = (
    "<script>window.hacked=1</script>",
    '"><img src=x onerror=window.hacked=1 hacked>',
    "' onmouseover='window.hacked=1' hacked='",
    '" autofocus onfocus="window.hacked=1" hacked="',
    "</textarea></title></style><hacked onclick=hacked=1>",
    "--><svg hacked onload=window.hacked=1>",
    "<a href=javascript:window.hacked=1 hacked>",
    "&lt;hacked&gt;<hacked>",
    "javascript:window.hacked=1",
    "{% now 'Y' %}{{7*7}}%(hacked)s %s %d {hacked} {0.__class__}",
    "\\u003cscript\\u003ewindow.hacked=1",
)
HOSTILE = (
    *("", "%00", "a%00b", "%ff", "%C0%80", "%ED%A0%80", "a%ED%BF%BF", "%F0%9F%92%A3"),
    *("%0A", "a%0Ab", "%0D%0ASet-Cookie:%20hacked=1", "%1B%5B31m", "%7F", "%C2%9B", "%E2%80%A8"),
    *("%E2%80%AEacme", "acme%E2%80%8B", "%EF%BB%BFacme", "%E2%81%A6acme", "%20"),
    *("-", "0", "-0", "-1", "1.0", "1e400", "NaN", "0x1", "1_0", "%C2%B2", "%D9%A1", "1,2", "1;2"),
    *("9" * 25, "-" + "9" * 25, "9" * 5_000, "2147483648", "9223372036854775808"),
    *("'", "'%20OR%201=1--", "%25", "%5C", "_", "%2A", "(", "%5B", "$(id)", "null", "__all__"),
    *("../../etc/passwd", "http://127.0.0.1:9/", "//127.0.0.1:9/", "x" * 10_000, "1," * 2_000),
    *("+".join(["term"] * 2_000), "%F0%9F%92%A3" * 500),
    *("1999-01-01T00:00", "9999-12-31T23:59", "2126-02-30T00:00", "2126-11-18T25:00"),
    *map(quote_plus, MARKUP),
)
"""What people and programs type, percent-encoded."""


@pytest.fixture
def acme() -> Customer:
    """A customer about whom everything is kept that can be."""
    PolicyFactory.create(name="gold")
    customer: Customer = CustomerFactory.create(key="acme")
    services.check("acme", document="7")
    services.reset("acme", reason="asked")
    until = datetime.now(UTC) + timedelta(days=1)
    services.pin("acme", priority=3, until=until, reason="a fair")
    return customer


@pytest.fixture
def root(acme: Customer) -> Client:
    """Who may do everything; what nobody foresaw is answered with 500."""
    return signed_in(User.objects.create_superuser("root"))


def signed_in(user: User | None, *, strict: bool = False) -> Client:
    client = Client(raise_request_exception=False, enforce_csrf_checks=strict)
    if user is not None:
        client.force_login(user)
    return client


def pages() -> dict[str, str]:
    """The address of every page by its route, about the first customer, policy and event."""
    found = {}
    for model in (Customer, Policy, Event):
        row = model.objects.order_by("pk").values_list("pk", flat=True)[0]
        for url in django_admin.site.get_model_admin(model).urls:
            route = f"{model._meta.model_name}/{url.pattern}"
            path = re.sub("<[^>]*>", str(row), route)
            found[re.sub("<[^>]*>", "1", route)] = f"/admin/doc_priority/{path}"
    return found


def forms() -> dict[str, tuple[dict[str, Any], str]]:
    """Every form and action as it should be sent, and a pattern of what it does."""
    customer, policy = Customer.objects.get().pk, Policy.objects.get().pk
    corrected = {"customers": customer, "seen": Event.objects.latest("pk").pk, "reason": "r"}
    terms = {"reset_interval": 2000, "recovery": "idle", "reason": "r"}
    terms |= {f"threshold_{number}": -number for number in range(1, 9)}
    ticked = {"_selected_action": customer, "index": 0, "select_across": 0}
    actions = ("export_as_csv", "reset_priority", "pin_priority", "unpin_priority")
    named = {"name": "New", "policy": policy, "reason": "r", "initial-name": "", "_continue": 1}
    return {
        "customer/add/": ({"key": "new", **named}, "Customer[+]1 LogEntry[+]1"),
        "customer/1/change/": (
            {**named, "policy_seen": "|gold"},
            "(Customer )?(Event[+]1 )?LogEntry[+]1",
        ),
        "customer/reset/": (corrected, "Counter Event[+]1 LogEntry[+]1"),
        "customer/pin/": (
            {**corrected, "priority": 2, "until": "2126-11-18T10:00"},
            "Counter Event[+]1 LogEntry[+]1",
        ),
        "customer/unpin/": (corrected, "Counter Event[+]1 LogEntry[+]1"),
        "customer/forget/": (
            corrected,
            "Counter-1 Customer-1 DocumentDecision-1 Event-1 LogEntry[+]1",
        ),
        **{f"customer/ {name}": ({**ticked, "action": name}, "") for name in actions},
        "customer/ delete_selected": ({**ticked, "action": "delete_selected"}, ""),
        "policy/add/": ({"name": "new", **terms}, "Event[+]1 LogEntry[+]1 Policy[+]1"),
        "policy/1/change/": (
            {**terms, "initial-recovery": "", "seen": ""},
            "Event[+]1 LogEntry[+]1 Policy",
        ),
        "policy/1/delete/": ({"post": "yes", "reason": "r"}, "Event[+]1 LogEntry[+]1 Policy-1"),
        "policy/ delete_selected": (
            {**ticked, "action": "delete_selected", "_selected_action": policy, "post": "yes"},
            "Event[+]1 LogEntry[+]1 Policy-1",
        ),
        "event/ delete_selected": ({**ticked, "action": "delete_selected", "post": "yes"}, ""),
    }


def asking(route: str, customers: object) -> str:
    """The page, about these customers where it is about some."""
    about = {"customer/live/": "live"}
    about |= {f"customer/{name}/": "customer" for name in ("reset", "pin", "unpin", "forget")}
    return f"{pages()[route]}?{about[route]}={customers}" if route in about else pages()[route]


def stored() -> dict[str, list[tuple[Any, ...]]]:
    return everything_stored("doc_priority", "admin", "auth")


def changes(before: dict[str, Any], after: dict[str, Any]) -> str:
    """The tables that are not as they were, and by how many rows they grew or shrank."""
    grown = {name: len(after[name]) - len(before[name]) for name in sorted(after)}
    return " ".join(
        f"{name}{grown[name]:+}" if grown[name] else name
        for name in grown
        if after[name] != before[name]
    )


def said(answer: Any, called: str) -> list[str]:
    """The texts and values of a page of ours, on which no text has become markup."""
    assert answer.status_code < 500, f"{called}: {answer.status_code} {answer.exc_info}"
    leads_to = answer.get("Location", "/")
    assert re.match(r"/(?!/)|[?.]", leads_to), f"{called}: leads to {leads_to}"
    if not answer.get("Content-Type", "").startswith("text/html"):
        return []
    reading = Reading()
    reading.feed(answer.content.decode())
    assert not reading.faults, f"{called}: {reading.faults}"
    return reading.said


class Reading(HTMLParser):
    """A page as a browser reads it: what is said, and what has become markup of the texts."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.faults: list[str] = []
        self._element = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._element = tag
        for name, value in (("", ""), *attrs):
            text = value or ""
            self.said.append(text)
            runs = name.startswith("on") or name in ("style", "srcdoc")
            address = name in ("href", "src", "action", "formaction", "data", "xlink:href")
            leads = re.match(r"[\s\0-\x1f]*(javascript|vbscript|data)\s*:", text, re.IGNORECASE)
            if "hacked" in tag + name or ("hacked" in text and (runs or (address and leads))):
                self.faults.append(f"<{tag} {name}={text[:80]!r}>")

    def handle_endtag(self, tag: str) -> None:
        self._element = ""

    def handle_data(self, data: str) -> None:
        self.said.append(data)
        if self._element in ("script", "style") and "hacked" in data:
            self.faults.append(f"<{self._element}> {data[:80]!r}")

    def handle_comment(self, data: str) -> None:
        if "hacked" in data:
            self.faults.append(f"<!--{data[:80]}-->")


def test_no_address_is_an_error_or_changes_anything(root: Client) -> None:
    """Each list with each parameter, and each row asked for by what is none."""
    # What an address may name, and what it must not.
    parameters = (
        *("q", "p", "o", "all", "e", "key", "priority", "state", "policy", "list", "seen", "live"),
        *(
            "customer",
            "name__regex",
            "policy__name",
            "counter__updated_at__gte",
            "kind__in",
            "id__in",
        ),
        *("password", "_popup", "_to_field", "_facets", "_changelist_filters", "reason", "until"),
        *("reset_interval", "recovery", "threshold_1", "%00", "nothing"),
    )
    before, random = stored(), Random(1)
    lists = [address for route, address in pages().items() if "/1/" not in route]
    asked = [
        f"{address}?{parameter}={random.choice(HOSTILE)}"
        for address in lists
        for parameter in parameters
    ]
    rows = [
        f"/admin/doc_priority/{route.replace('1', value)}"
        for route in pages()
        if "/1/" in route
        for value in random.sample((*HOSTILE, "_5F", "_ZZ", "__", "%2e%2e", "1%2F2", "1%0A"), 4)
    ]
    for address in asked + rows:
        path, _, query = address.partition("?")
        said(root.generic("GET", path, QUERY_STRING=query), address[:200])
    assert stored() == before


def test_a_form_is_done_whole_or_not_at_all(root: Client) -> None:
    """Each field of each form with other values, the others as they should be."""
    before, addresses, random = stored(), pages(), Random(1)

    def sent(address: str, body: str, kind: str) -> str:
        """What the form did, which is undone; nothing where it was refused."""
        root.cookies.pop("messages", None)
        called = f"POST {address} {body[:200]} {kind}"
        with transaction.atomic():
            answer = root.generic("POST", address, body, content_type=kind)
            seen = changes(before, stored())
            for table in (Customer, Policy, Event):
                names = {"key", "name", "customer", "reason"} & {
                    field.name for field in table._meta.fields
                }
                texts = [text for row in table.objects.values_list(*names) for text in row]
                assert all(text.isprintable() for text in texts), f"{called}: stored {texts}"
            transaction.set_rollback(True)
        said(answer, called)
        if seen:
            popup = "admin/popup_response.html" in [one.name for one in answer.templates]
            assert answer.status_code == 302 or popup, f"{called}: {answer.status_code}, {seen}"
            failed = [one for one in get_messages(answer.wsgi_request) if one.level >= ERROR]
            assert not failed, f"{called}: {failed}, and stored {seen}"
        return seen

    for name, (fields, done) in forms().items():
        address = addresses[name.partition(" ")[0]]
        whole = urlencode(fields)
        assert re.fullmatch(done, sent(address, whole, FORM)), name

        encoded = {field: quote_plus(str(value)) for field, value in fields.items()}
        bodies = [
            *(
                encoded | {field: random.choice(HOSTILE)}
                for field in (*fields, "_popup", "_to_field", "_saveasnew")
            ),
            *({one: encoded[one] for one in fields if one != field} for field in fields),
        ]
        joined = ["&".join(f"{one}={value}" for one, value in body.items()) for body in bodies]
        joined.append(whole + "".join(f"&{field}=second" for field in fields))
        joined.append(urlencode(fields | {f"field-{number}": 1 for number in range(2_000)}))
        other_kinds = ("application/json", "multipart/form-data", f"{FORM}; charset=utf-7")
        for body, kind in (
            *((body, FORM) for body in joined),
            ("x" * 3_000_000, "text/plain"),
            *((whole, kind) for kind in other_kinds),
        ):
            seen = sent(address, body, kind)
            assert not seen or re.fullmatch(done, seen), f"{name} {body[:200]}: stored {seen}"


def test_looking_changes_nothing_and_without_a_token_nothing_is_done(root: Client) -> None:
    """Each page with the fields of every form, and no other site may frame it."""
    fields = {name: value for sent, _ in forms().values() for name, value in sent.items()}
    query = urlencode({**fields, "customer": fields["customers"]})
    strict = signed_in(User.objects.get(username="root"), strict=True)
    before = stored()
    for address in pages().values():
        for method in ("GET", "HEAD"):
            answer = root.generic(method, address, QUERY_STRING=query)
            said(answer, f"{method} {address}")
            assert answer["X-Frame-Options"] == "DENY", address
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = strict.generic(method, address, query, content_type=FORM)
            assert answer.status_code == 403, f"{method} {address}"
    assert changes(before, stored()) == ""


def test_each_role_may_what_its_row_says_and_nobody_else_may_anything(acme: Customer) -> None:
    """Every page is sent its form, every action is done; `left` leads away with nothing done."""
    matrix = """
                                      viewer   support  policies data     superuser
        customer/                     200      200      200      200      200
        customer/:export_as_csv       200      200      200      200      200
        customer/:reset_priority      left     200      left     left     200
        customer/:pin_priority        left     200      left     left     200
        customer/:unpin_priority      left     200      left     left     200
        customer/:delete_selected     left     left     left     200      200
        customer/add/                 403      403      403      403      done
        customer/1/                   left     left     left     left     left
        customer/1/change/            403      403      403      403      done
        customer/1/delete/            403      403      403      left     left
        customer/1/history/           200      200      200      200      200
        customer/1/standing/          405      405      405      405      405
        customer/live/                405      405      405      405      405
        customer/reset/               403      done     403      403      done
        customer/pin/                 403      done     403      403      done
        customer/unpin/               403      done     403      403      done
        customer/forget/              403      403      403      done     done
        customer/dashboard/           405      405      405      405      405
        customer/dashboard/live/      405      405      405      405      405
        customer/how-priorities-work/ 405      405      405      405      405
        policy/                       200      200      200      200      200
        policy/:delete_selected       200      200      done     200      done
        policy/add/                   403      403      done     403      done
        policy/preview/               403      403      405      403      405
        policy/1/                     left     left     left     left     left
        policy/1/change/              403      403      done     403      done
        policy/1/delete/              403      403      done     403      done
        policy/1/history/             200      200      200      200      200
        event/                        200      200      200      200      200
        event/:delete_selected        200      200      200      200      200
        event/add/                    403      403      403      403      403
        event/1/                      left     left     left     left     left
        event/1/change/               403      403      403      403      403
        event/1/delete/               403      403      403      403      403
        event/1/history/              200      200      200      200      200
    """
    view = ("view_customer", "view_policy", "view_event")
    roles = {
        "viewer": view,
        "support": (*view, "reset_customer", "pin_customer"),
        "policies": (*view, "add_policy", "change_policy", "delete_policy"),
        "data": (*view, "delete_customer"),
        "superuser": (),
    }
    addresses, sent = pages(), forms()
    gets = [("GET", route, asking(route, acme.pk), {}) for route in addresses]
    posts = [
        ("POST", route, addresses[route.partition(" ")[0]], sent.get(route, ({}, ""))[0])
        for route in sorted(addresses.keys() | sent.keys())
    ]

    def answers(user: User | None, asked: list[Any]) -> dict[str, str]:
        """What each page and each action answers to this user, and does; it is undone."""
        browser, before, found = signed_in(user), stored(), {}
        newest = Event.objects.latest("pk").pk
        for method, route, address, fields in asked:
            with transaction.atomic():
                answer = browser.generic(method, address, urlencode(fields), FORM)
                seen = changes(before, stored())
                kept = Event.objects.filter(pk__gt=newest).values_list("actor", flat=True)
                assert not seen or set(kept) <= {user and user.username}
                transaction.set_rollback(True)
            cell = str(answer.status_code)
            if cell in ("301", "302"):
                cell = "done" if seen else "left"
                cell = "login" if "/login/" in answer["Location"] else cell
            assert bool(seen) == (cell == "done"), f"{method} {route}: {cell}, stored {seen}"
            found[route.replace(" ", ":")] = cell
        return found

    seen = {}
    for role, permissions in roles.items():
        user = User.objects.create(username=role, is_staff=True, is_superuser=not permissions)
        user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
        seen[role] = answers(user, posts)
    expected = {row: cells for row, *cells in map(str.split, matrix.splitlines()[2:-1])}
    assert expected == {row: [seen[role][row] for role in roles] for row in seen["viewer"]}

    client = User.objects.create(username="client")
    client.user_permissions.set(Permission.objects.filter(codename__in=view))
    former = User.objects.create_superuser("former", is_active=False)
    for user in (None, client, former):
        assert set(answers(user, gets + posts).values()) == {"login"}, user
    staff = User.objects.create(username="staff", is_staff=True)
    # An address without a page leads to one, which refuses.
    assert set(answers(staff, gets + posts).values()) == {"403", "left"}


def test_no_stored_text_becomes_markup() -> None:
    """Each text as all that can be stored, on every page of every row."""
    user = User.objects.create_superuser(MARKUP[1], first_name=MARKUP[1])
    for number, text in enumerate(MARKUP):
        key, policy = f"customer-{number}", PolicyFactory.create(name=f"{text[:50]} policy")
        customer = CustomerFactory.create(key=key, name=f"{text} name")
        CounterFactory.create(customer=customer, pending_documents=-13)
        services.set_policy(key, policy=policy.name, actor=user, reason=f"{text} reason")
        services.check(key, document=f"{text} document")
        services.reset(key, actor=f"{text} actor", reason=text, source=f"{text[:50]} source")
        services.pin(key, priority=8, until=None, actor=user, reason=text)
        LogEntry.objects.create(
            user=user,
            content_type=ContentType.objects.get_for_model(Customer),
            object_id=str(customer.pk),
            object_repr=customer.name,
            action_flag=CHANGE,
            change_message=f"{text} history",
        )
    browser, shown = signed_in(user), set()
    everybody = ",".join(map(str, Customer.objects.values_list("pk", flat=True)))
    of_rows = {
        f"/admin/doc_priority/{name}/{row}/{page}"
        for name, table in {"customer": Customer, "policy": Policy, "event": Event}.items()
        for page in [route.partition("/1/")[2] for route in pages() if f"{name}/1/" in route]
        for row in table.objects.values_list("pk", flat=True)
    }
    for address in of_rows | {asking(route, everybody) for route in pages()}:
        shown.update(said(browser.get(address), address))
    text = " ".join(shown)
    for kind in ("name", "policy", "document", "reason", "actor", "source", "history"):
        assert any(f"{one} {kind}" in text for one in MARKUP), f"no {kind} was shown"
