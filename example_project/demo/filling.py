"""What fills the portal: the policies, the clients, the people, and a day of documents."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import groupby
from random import Random
from uuid import UUID

from django.db import transaction

from doc_priority.models import Customer
from doc_priority.services import check_many, create_policy, pin, reset
from doc_priority.types import Decision
from example_project.demo.companies import (
    COMPANIES,
    CONTRACT,
    HURRIED,
    PATIENT,
    STEADY,
    VISITED,
    Size,
    of_size,
)
from example_project.demo.drops import PlannedDrop, day_before, file_name
from example_project.demo.people import create_people, give_roles
from example_project.portal.models import Client, Document
from example_project.portal.services import create_client, queued_document

Say = Callable[[str], None]
Status = Document.Status

DAY = timedelta(days=1)
STILL_WAITING = timedelta(minutes=4)
"""Of the documents of the last minutes those with a late priority still wait."""

ACTOR = "support"
SOURCE = "demo"
POLICIES = {
    CONTRACT: (
        "halving",
        (-4, -8, -12, -16, -20, -24, -28, -40),
        "Clients who pay for it have twice the room and recover sooner.",
    ),
    STEADY: (
        "window",
        (-2, -4, -6, -8, -10, -12, -14, -20),
        "Clients who send a little all day long start from 0 every 25 minutes.",
    ),
}
"""The recovery, the thresholds, and why there is such a policy."""

RESETS = (
    (3, 11, "A batch was sent twice by mistake; the client should not pay for it."),
    (4, 7, "Agreed on the phone: the month's backlog is in, start from 0."),
    (6, 2, "Their scanner was stuck and sent blank pages."),
)
"""The rank among the large companies, how many hours ago, and why."""


def fill(*, say: Say) -> None:
    """Everything on an empty database; on one that is older than a day, the day before now.

    All or nothing: stopped half way, the next start begins again. What waits then is in no queue
    yet; `queue_all_that_waits` puts it there.
    """
    now = datetime.now(UTC)
    with transaction.atomic():
        if not Client.objects.exists():
            _create_everybody(say=say)
        else:
            # Data that an earlier version of the demo left has none.
            give_roles()
        newest = Document.objects.newest_first().first()
        if newest is None or now - newest.dropped_at > DAY:
            add_day(until=now, random=Random(), say=say)
            _pin_two(until=now)
        else:
            say(f"The data of the last start is used: {Document.objects.count():,} documents.")


def add_day(*, until: datetime, random: Random, say: Say) -> None:
    """The documents of the day before, and what support did about them."""
    clients = Client.objects.in_bulk(field_name="key")
    drops = [drop for drop in day_before(until, random) if drop.company.key in clients]
    total, done = len(drops), 0
    reset_of = {until - timedelta(hours=hours): (rank, why) for rank, hours, why in RESETS}
    for at, together in groupby(drops, key=lambda drop: drop.at):
        batch = list(together)
        _drop(at, batch, clients, until, random)
        for moment in [moment for moment in reset_of if moment <= at]:
            _reset(at, *reset_of.pop(moment))
        before, done = done * 4 // total, done + len(batch)
        if done * 4 // total > before:
            say(f"A day of documents: {done * 100 // total} %")


def _create_everybody(*, say: Say) -> None:
    say(f"Inventing {len(COMPANIES)} clients …")
    for name, (recovery, thresholds, reason) in POLICIES.items():
        create_policy(
            name,
            reset_interval=1500,
            recovery=recovery,
            thresholds=thresholds,
            actor="admin",
            reason=reason,
            source=SOURCE,
        )
    for company in COMPANIES:
        create_client(key=company.key, name=company.name, policy=company.policy)
    create_people(client=Client.objects.get(key=VISITED.key))


def _drop(
    at: datetime,
    drops: Iterable[PlannedDrop],
    clients: dict[str, Client],
    until: datetime,
    random: Random,
) -> None:
    items = [
        (drop.company.key, f"doc-{UUID(int=random.getrandbits(128)).hex}")
        for drop in drops
        for _ in range(drop.documents)
    ]
    Document.objects.bulk_create(
        _past(clients[decision.customer], decision, until, random)
        for decision in check_many(items, at=at)
    )


def _past(client: Client, decision: Decision, until: datetime, random: Random) -> Document:
    document = queued_document(client, name=file_name(random), decision=decision, level=0)
    if decision.priority < 7 or until - decision.decided_at > STILL_WAITING:
        document.status = Status.DONE
        document.started_at = decision.decided_at + timedelta(seconds=2 * decision.priority)
        document.finished_at = document.started_at + timedelta(seconds=2)
    return document


def _reset(at: datetime, rank: int, reason: str) -> None:
    company = of_size(Size.LARGE)[rank]
    if Customer.objects.filter(key=company.key).exists():
        reset(company.key, actor=ACTOR, reason=reason, source=SOURCE, at=at)


def _pin_two(*, until: datetime) -> None:
    pins = (
        (HURRIED, 2, 20, "Audit at the client's: they need everything back today."),
        (PATIENT, 9, 6, "Test run with old archives: last in line until tonight."),
    )
    for company, priority, hours, reason in pins:
        if Customer.objects.filter(key=company.key).exists():
            end = until + timedelta(hours=hours)
            pin(
                company.key,
                priority=priority,
                until=end,
                actor=ACTOR,
                reason=reason,
                source=SOURCE,
            )
