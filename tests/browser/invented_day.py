"""A dozen invented companies and what they sent in the last 24 hours: the same at every run."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from operator import itemgetter
from typing import NamedTuple

from doc_priority import services
from tests.factories import CustomerFactory, PolicyFactory


class Company(NamedTuple):
    """Who it is, and how many documents it sent how many minutes ago."""

    key: str
    name: str
    drops: tuple[tuple[int, int], ...]
    policy: str | None = None


CONTRACT = "Priority contract"
PICTURED = "C1042"
"""The company whose page is shown."""

WORST = (PICTURED, "C1187", "C1023")
"""The companies that are asked about."""

HURRIED = "C1108"
"""The company that is pinned."""

COMPANIES = (
    Company(
        PICTURED,
        "Aldermoor Freight Ltd",
        (
            *((1390, 3), (1320, 5), (1245, 9), (1180, 16), (1010, 4), (950, 2), (720, 12)),
            *((655, 18), (640, 7), (410, 3), (345, 6), (280, 10), (150, 24), (85, 8)),
            *((19, 9), (12, 8), (4, 6)),
        ),
    ),
    Company("C1187", "Falkenrode Medizintechnik GmbH", ((700, 30), (14, 9), (3, 7))),
    Company("C1023", "Transportes Puertaluna S.L.", ((500, 12), (21, 7), (9, 7))),
    Company("C1260", "Jodłowizna Meble Sp. z o.o.", ((330, 5), (11, 14))),
    Company("C1094", "Seguros Riofresco S.L.", ((8, 12),)),
    Company("C1175", "Netherquay Dental Supplies Ltd", ((900, 40), (17, 6), (6, 4))),
    Company("C1211", "Kranichsee Hausverwaltung GmbH", ((5, 32),), CONTRACT),
    Company("C1066", "Cerâmicas Montalvinho Lda.", ((240, 3), (13, 6))),
    Company("C1139", "Elmstow Print Works Ltd", ((2, 4),)),
    Company(HURRIED, "Świerkowa Usługi Medyczne Sp. z o.o.", ((60, 20), (10, 10))),
    Company("C1152", "Vinhos Quintarosa Lda.", ((7, 2),)),
    Company("C1203", "Wiesenbrück Logistik GmbH", ((1100, 6),)),
)
RESETS = (
    (893, "C1175", "Their scanner was stuck and sent blank pages."),
    (695, "C1187", "Sent twice by mistake; the second batch was taken back."),
    (145, PICTURED, "Agreed on the phone: the backlog of the month is in."),
)
"""How many minutes ago, who, and why."""

BETWEEN_TWO = timedelta(seconds=3)


def fill(*, now: datetime) -> None:
    """Everything, in the order in which it happened."""
    policy = PolicyFactory.create(name=CONTRACT, recovery="halving")
    for key, name, _, named in COMPANIES:
        CustomerFactory.create(key=key, name=name, policy=policy if named else None)
    for moment, happen in sorted(_day(), key=itemgetter(0), reverse=True):
        happen(now - moment)
    services.pin(
        HURRIED,
        priority=2,
        until=now + timedelta(hours=6),
        actor="jonas",
        reason="Audit at the client's: they need everything back today.",
        source="admin",
    )


def _day() -> Iterator[tuple[timedelta, Callable[[datetime], object]]]:
    """How long ago something happened, and what."""
    for minutes, key, reason in RESETS:
        yield timedelta(minutes=minutes), partial(_reset, key, reason)
    for company in COMPANIES:
        number = count(2001)
        for minutes, documents in company.drops:
            for one in range(documents):
                name = f"R{next(number)}"
                yield (
                    timedelta(minutes=minutes) - one * BETWEEN_TWO,
                    partial(_check, company.key, name),
                )


def _check(customer: str, document: str, at: datetime) -> None:
    services.check(customer, document=document, at=at)


def _reset(customer: str, reason: str, at: datetime) -> None:
    services.reset(customer, actor="jonas", reason=reason, source="admin", at=at)
