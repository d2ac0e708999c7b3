"""What fills the portal: invented companies, and a believable day before the demo starts."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from enum import Enum
from itertools import groupby
from random import Random
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from doc_priority.models import Customer
from doc_priority.services import check_many, create_policy, pin, reset
from example_project.demo.people import create_people
from example_project.portal.models import Client, Document
from example_project.portal.services import create_client, queued_document

Say = Callable[[str], None]
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

COUNTRIES = (
    (
        "{place} {trade} Ltd",
        "Aldermoor Brindlecombe Cawderidge Drayholt Elmstow Farrowgate Glaisworth Halverdale "
        "Inglemere Kestrelby Larkhampton Marlowick",
        "Freight Timber Housing Couriers Energy",
    ),
    (
        "{place} {trade} GmbH",
        "Ahrensbeck Brombachtal Eichenlohe Falkenrode Grünstedt Hasselbruch Kranichsee "
        "Lärchenberg Mühlenrade Steinlohe Tannwinkel Wiesenbrück",
        "Logistik Medizintechnik Hausverwaltung Werkzeugbau Reisen",
    ),
    (
        "{trade} {place} S.L.",
        "Almendrosa Bellarroyo Campoclaro Doñamar Encinalta Fuentedulce Granjavieja Hontanilla "
        "Jarasol Lomaverde Montesclara Zarzalejos",
        "Transportes Seguros Alimentos Reformas Gestoría",
    ),
    (
        "{place} {trade} Sp. z o.o.",
        "Borowin Cisowiec Dębogóra Grabolin Jasnobór Jodłowizna Kalinowiec Lipobór Olszanica "
        "Sosnobrzeg Świerkowa Żurawiniec",
        "Transport Meble Budownictwo Drukarnia Ogrody",
    ),
    (
        "{trade} {place} Lda.",
        "Amendoal Boaventinha Castanhosa Douradelha Figueirinha Giestal Jardinal Lagoverde "
        "Nogueirosa Pinhalvo Ribeirosa Valverdinho",
        "Transportes Cerâmicas Seguros Conservas Vinhos",
    ),
)


class Size(Enum):
    """How much a company sends: how often a day, and how many documents each time."""

    LARGE = (25, 45), (2, 9)
    MEDIUM = (2, 6), (1, 8)
    SMALL = (0, 3), (1, 2)


class Company(NamedTuple):
    """A customer of the demo, before it is one."""

    key: str
    name: str
    size: Size
    policy: str | None


CONTRACT = "Priority contract"
STEADY = "Steady senders"
POLICIES = {
    CONTRACT: (
        "halving",
        (-4, -8, -12, -16, -20, -24, -28, -40),
        "Customers who pay for it have twice the room and recover sooner.",
    ),
    STEADY: (
        "window",
        (-2, -4, -6, -8, -10, -12, -14, -20),
        "Customers who send a little all day long start from 0 every 25 minutes.",
    ),
}
"""The recovery, the thresholds, and why there is such a policy."""


def _companies() -> Iterator[Company]:
    """The same ones at every start: 8 large, 40 medium, and small ones."""
    random = Random("the companies of the demo")
    names = [
        pattern.format(place=place, trade=trade)
        for pattern, places, trades in COUNTRIES
        for place in places.split()
        for trade in trades.split()
    ]
    random.shuffle(names)
    numbers = random.sample(range(1001, 1001 + len(names)), len(names))
    for rank, (name, number) in enumerate(zip(names, numbers, strict=True)):
        size = Size.LARGE if rank < 8 else Size.MEDIUM if rank < 48 else Size.SMALL
        has_contract, is_steady = rank in {2, 5, 8, 9, 10, 11}, 100 <= rank < 112
        policy = CONTRACT if has_contract else STEADY if is_steady else None
        yield Company(f"C{number}", name, size, policy)


COMPANIES = tuple(_companies())
LARGE, MEDIUM = COMPANIES[:8], COMPANIES[8:48]

FLOODING = LARGE[0]
"""Sends hundreds of documents in one go just before the demo starts."""
HURRIED = LARGE[1]
"""Pinned to a good priority by support."""
PATIENT = MEDIUM[-1]
"""Pinned to the last priority by support."""
VISITED = MEDIUM[-2]
"""The company the user `client` works for; the live traffic leaves it alone."""

BUSY = dict(zip(MEDIUM[4:14], (4, 6, 8, 10, 12, 14, 16, 18, 22, 26), strict=True))
"""How many documents came lately from these, so that they stand everywhere from 2 to 9."""

HOURLY = (2, 1, 1, 1, 2, 3, 5, 8, 12, 14, 13, 11, 9, 11, 13, 12, 10, 7, 5, 4, 3, 3, 2, 2)
"""How busy each hour of the day is, beside the others."""

RESETS = (
    (11 * HOUR, LARGE[3], "A batch was sent twice by mistake; the customer should not pay for it."),
    (7 * HOUR, LARGE[4], "Agreed on the phone: the month's backlog is in, start from 0."),
    (2 * HOUR, LARGE[6], "Their scanner was stuck and sent blank pages."),
)
PINS = (
    (HURRIED, 2, 20 * HOUR, "Audit at the customer's: they need everything back today."),
    (PATIENT, 9, 6 * HOUR, "Test run with old archives: last in line until tonight."),
)


def fill(*, say: Say) -> None:
    """Everything on an empty database; on one that is older than a day, the day before now.

    All or nothing: stopped half way, the next start begins again. What waits then is in no queue
    yet; `queue_all_that_waits` puts it there.
    """
    now = datetime.now(UTC)
    with transaction.atomic():
        if not Client.objects.exists():
            say(f"Inventing {len(COMPANIES)} customers …")
            for name, (recovery, thresholds, reason) in POLICIES.items():
                create_policy(
                    name,
                    reset_interval=1500,
                    recovery=recovery,
                    thresholds=thresholds,
                    actor="admin",
                    reason=reason,
                    source="demo",
                )
            for company in COMPANIES:
                create_client(key=company.key, name=company.name, policy=company.policy)
            create_people(client=Client.objects.get(key=VISITED.key))
        newest = Document.objects.order_by("-pk").first()
        if newest is None or now - newest.dropped_at > DAY:
            add_day(until=now, say=say)
        else:
            say(f"The data of the last start is used: {Document.objects.count():,} documents.")


def add_day(*, until: datetime, say: Say) -> None:
    """The documents of the day before, and what support did about them."""
    random = Random()
    clients = Client.objects.in_bulk(field_name="key")
    told = {"actor": "support", "source": "demo"}
    known = set(Customer.objects.values_list("key", flat=True))
    resets = [one for one in RESETS if one[1].key in known]
    arrivals = [one for one in _arrivals(until, random) if one[1].key in clients]
    done = 0
    for at, together in groupby(sorted(arrivals), key=lambda arrival: arrival[0]):
        batch = list(together)
        items = [
            (company.key, f"doc-{UUID(int=random.getrandbits(128)).hex}")
            for _at, company, documents in batch
            for _ in range(documents)
        ]
        rows = []
        for decision in check_many(items, at=at):
            client = clients[decision.customer]
            row = queued_document(client, name=file_name(random), decision=decision, level=0)
            # Of the documents of the last minutes those with a late priority still wait.
            if decision.priority < 7 or until - at > 4 * MINUTE:
                row.status = Document.Status.DONE
                row.started_at = at + timedelta(seconds=2 * decision.priority)
                row.finished_at = row.started_at + timedelta(seconds=2)
            rows.append(row)
        Document.objects.bulk_create(rows)
        for due in [one for one in resets if until - one[0] <= at]:
            resets.remove(due)
            reset(due[1].key, reason=due[2], at=at, **told)
        before, done = done * 4 // len(arrivals), done + len(batch)
        if done * 4 // len(arrivals) > before:
            say(f"A day of documents: {done * 100 // len(arrivals)} %")
    for company, priority, duration, reason in PINS:
        if company.key in known:
            pin(company.key, priority=priority, until=until + duration, reason=reason, **told)


def _arrivals(until: datetime, random: Random) -> Iterator[tuple[datetime, Company, int]]:
    """When how many documents of which company came."""
    moments = [until - MINUTE * minutes for minutes in range(1, 24 * 60)]
    weights = [HOURLY[moment.hour] for moment in moments]
    for company in COMPANIES:
        often, documents = company.size.value
        for moment in random.choices(moments, weights, k=random.randint(*often)):
            # How these stand now is known: nothing else of theirs came within the last hour.
            if until - moment > HOUR or (company not in BUSY and company != VISITED):
                yield moment, company, random.randint(*documents)
    for place, (company, total) in enumerate(BUSY.items()):
        yield until - MINUTE * (15 + place % 4), company, total // 2
        yield until - MINUTE * (4 + place % 5), company, total - total // 2
    yield until - MINUTE * 12, VISITED, 2
    for minutes in (3, 2, 1):
        yield until - MINUTE * minutes, FLOODING, 80


def file_name(random: Random) -> str:
    kind = random.choice(("invoice", "delivery-note", "contract", "scan"))
    return f"{kind}-{random.randint(1000, 9999)}.pdf"
