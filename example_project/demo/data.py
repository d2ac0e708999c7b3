"""What fills the portal: people, invented companies, and a believable day before now."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple
from uuid import uuid4

from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.db.models import Q

from doc_priority.services import check_many, create_policy, pin, reset
from example_project.portal.models import Client, Document, Member
from example_project.portal.services import create_client, queued_document

MINUTES_OF_A_DAY = 24 * 60

PASSWORD = "demo"  # the same for everybody, and public

VIEW = Q(codename__startswith="view_")
ROLES = {
    "client": ("submitter", Q(codename__in=["add_document", "view_customer", "check_customer"])),
    "viewer": ("viewer", VIEW),
    "support": ("support", VIEW | Q(codename__in=["reset_customer", "pin_customer"])),
}
"""Who has which group, with which permissions; a submitter reaches only the customer's own data."""

PLACES = (
    "Aldermoor Brindlecombe Drayholt Elmstow Farrowgate Kestrelby "
    "Ahrensbeck Brombachtal Eichenlohe Grünstedt Lärchenberg Wiesenbrück "
    "Almendrosa Campoclaro Doñamar Fuentedulce Hontanilla Zarzalejos "
    "Borowin Dębogóra Jasnobór Kalinowiec Świerkowa Żurawiniec "
    "Amendoal Castanhosa Figueirinha Lagoverde Pinhalvo Ribeirosa"
)
TRADES = (
    *("Freight Ltd", "Insurance Ltd", "Logistik GmbH", "Werkzeugbau GmbH", "Alimentos S.L."),
    *("Gestoría S.L.", "Meble Sp. z o.o.", "Drukarnia Sp. z o.o.", "Cerâmicas Lda.", "Vinhos Lda."),
)

CONTRACT, STEADY = "Priority contract", "Steady senders"
POLICIES: dict[str, dict[str, Any]] = {
    CONTRACT: {
        "recovery": "halving",
        "thresholds": (-4, -8, -12, -16, -20, -24, -28, -40),
        "reason": "Customers who pay for it have twice the room and recover sooner.",
    },
    STEADY: {
        "recovery": "window",
        "thresholds": (-2, -4, -6, -8, -10, -12, -14, -20),
        "reason": "Customers who send a little all day long start from 0 every 25 minutes.",
    },
}


class Company(NamedTuple):
    """A customer of the demo; how often a day it sends so many documents, from and to."""

    key: str
    name: str
    often: tuple[int, int]
    documents: tuple[int, int]
    policy: str | None


def _companies() -> Iterator[Company]:
    """The same ones at every start: 8 large, 40 medium, and small ones."""
    random = Random("the companies of the demo")
    names = [f"{place} {trade}" for place in PLACES.split() for trade in TRADES]
    random.shuffle(names)
    sizes = [((25, 45), (2, 9))] * 8 + [((2, 6), (1, 15))] * 40 + [((0, 3), (1, 2))] * 252
    for rank, (name, size) in enumerate(zip(names, sizes, strict=True)):
        policy = CONTRACT if 6 <= rank < 12 else STEADY if 100 <= rank < 112 else None
        # The numbers go round, so that they say nothing of the size.
        yield Company(f"C{1001 + rank * 77 % 300}", name, *size, policy)


COMPANIES = tuple(_companies())
LARGE, MEDIUM = COMPANIES[:8], COMPANIES[8:48]

FLOODING = LARGE[0]  # sends hundreds of documents just before the demo starts
VISITED = MEDIUM[-1]  # the user `client` works for it; the live traffic leaves it alone

BUSY = zip(MEDIUM[10:20], (26, 22, 18, 16, 14, 12, 10, 8, 6, 4), strict=True)
"""How many documents came lately from these, so that they stand everywhere from 2 to 9."""
LATELY = {FLOODING: [(3, 80), (2, 80), (1, 80)], VISITED: [(12, 2)]} | {
    company: [(place + 10, documents // 2), (place, documents // 2)]
    for place, (company, documents) in enumerate(BUSY, start=1)
}
"""How many minutes ago how many documents came; nothing else did within the last hour."""

HOURLY = (2, 1, 1, 1, 2, 3, 5, 8, 12, 14, 13, 11, 9, 11, 13, 12, 10, 7, 5, 4, 3, 3, 2, 2)
"""How busy each hour of the day is, beside the others."""

BY_SUPPORT = {"actor": "support", "source": "demo"}
RESETS = {
    11 * 60: (LARGE[3], "A batch was sent twice by mistake; the customer should not pay for it."),
    7 * 60: (LARGE[4], "Agreed on the phone: the month's backlog is in, start from 0."),
    2 * 60: (LARGE[6], "Their scanner was stuck and sent blank pages."),
}
"""How many minutes ago support reset whom, and why."""
PINS = (
    (LARGE[1], 2, 20, "Audit at the customer's: they need everything back today."),
    (MEDIUM[-2], 9, 6, "Test run with old archives: last in line until tonight."),
)
"""Who is pinned to which priority for how many hours, and why."""


def fill(*, say: Callable[[str], None]) -> None:
    """Everything on an empty database; on one that is older than a day, the day before now.

    All or nothing: stopped half way, the next start begins again. What waits then is in no queue
    yet; `queue_all_that_waits` puts it there.
    """
    now = datetime.now(UTC)
    with transaction.atomic():
        if not Client.objects.exists():
            say(f"Inventing {len(COMPANIES)} customers …")
            for name, terms in POLICIES.items():
                create_policy(name, reset_interval=1500, actor="admin", source="demo", **terms)
            for company in COMPANIES:
                create_client(key=company.key, name=company.name, policy=company.policy)
            create_people(client=Client.objects.get(key=VISITED.key))
        newest = Document.objects.order_by("-pk").first()
        if newest is None or now - newest.dropped_at > timedelta(days=1):
            say("Inventing a day of documents …")
            add_day(until=now)
        else:
            say(f"The data of the last start is used: {Document.objects.count():,} documents.")


def create_people(*, client: Client) -> None:
    """`admin`, `support`, `viewer`, and `client`, who works for the given customer."""
    User.objects.create_superuser("admin", password=PASSWORD)
    ours = Permission.objects.filter(content_type__app_label__in=["doc_priority", "portal"])
    for name, (role, permissions) in ROLES.items():
        user = User.objects.create_user(name, password=PASSWORD, is_staff=name != "client")
        user.groups.create(name=role).permissions.set(ours.filter(permissions))
    Member.objects.create(user=User.objects.get(username="client"), client=client)


def add_day(*, until: datetime) -> None:
    """The documents of the day before, and what support did about them."""
    random = Random()
    clients = Client.objects.in_bulk(field_name="key")
    arrivals = _arrivals(until, random)
    for minutes in reversed(range(MINUTES_OF_A_DAY)):
        at = until - timedelta(minutes=minutes)
        items = [(key, f"doc-{uuid4().hex}") for key in arrivals[minutes] if key in clients]
        rows = []
        for decision in check_many(items, at=at):
            client = clients[decision.customer]
            row = queued_document(client, file_name(random), decision)
            # Of the documents of the last minutes those with a late priority still wait.
            if decision.priority < 7 or minutes > 4:
                row.status = Document.Status.DONE
                row.started_at = at + timedelta(seconds=2 * decision.priority)
                row.finished_at = row.started_at + timedelta(seconds=2)
            rows.append(row)
        Document.objects.bulk_create(rows)
        company, reason = RESETS.get(minutes, (None, ""))
        if company and company.key in clients:
            reset(company.key, reason=reason, at=at, **BY_SUPPORT)
    for company, priority, hours, reason in PINS:
        if company.key in clients:
            end = until + timedelta(hours=hours)
            pin(company.key, priority=priority, until=end, reason=reason, **BY_SUPPORT)


def _arrivals(until: datetime, random: Random) -> dict[int, list[str]]:
    """Whose documents came how many minutes ago."""
    arrivals: dict[int, list[str]] = defaultdict(list)
    day = range(1, MINUTES_OF_A_DAY)
    weights = [HOURLY[(until - timedelta(minutes=minutes)).hour] for minutes in day]
    for company in COMPANIES:
        came = [
            (minutes, random.randint(*company.documents))
            for minutes in random.choices(day, weights, k=random.randint(*company.often))
            if minutes > 60 or company not in LATELY
        ]
        for minutes, documents in came + LATELY.get(company, []):
            arrivals[minutes] += [company.key] * documents
    return arrivals


def file_name(random: Random) -> str:
    kind = random.choice(("invoice", "delivery-note", "contract", "scan"))
    return f"{kind}-{random.randint(1000, 9999)}.pdf"
