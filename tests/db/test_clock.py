"""Clocks and time zones: counters neither reset by mistake nor go back in time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.db import connection

from doc_priority import services
from doc_priority.models import Counter, Customer, Policy
from doc_priority.types import SECOND, Decision, Recovery

pytestmark = pytest.mark.django_db

BERLIN = ZoneInfo("Europe/Berlin")
CHANGES = {
    "forward": datetime(2026, 3, 29, 1, tzinfo=UTC),
    "back": datetime(2026, 10, 25, 1, tzinfo=UTC),
}
INTERVAL = timedelta(seconds=1500)
MICROSECOND = timedelta(microseconds=1)
HALF_MINUTE = timedelta(seconds=30)

WAYS: dict[str, Callable[[], Decision]] = {
    "check": lambda: services.check("acme"),
    "check with a document": lambda: services.check("acme", document=str(uuid4())),
    "check_many": lambda: services.check_many(["acme"])[0],
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def is_now(moment: datetime) -> bool:
    return abs(moment - datetime.now(UTC)) < timedelta(minutes=1)


@every_way
def test_the_applications_clock_has_no_part(way: Callable[[], Decision]) -> None:
    for hours in (-1, 1):
        Customer.objects.all().delete()
        services.check("acme")
        services.check("other")
        with time_machine.travel(datetime.now(UTC) + timedelta(hours=hours), tick=True):
            decisions = [way(), services.peek("acme")]
            live = Customer.objects.live().get(key="acme")
            reset = services.reset("other")
        assert [(one.pending_documents, one.reset) for one in decisions] == [(-1, False)] * 2
        assert (live.pending_documents, live.counting) == (-1, True)
        assert all(is_now(one.decided_at) for one in [*decisions, reset])
        assert way().pending_documents == -2
        assert services.check("other").pending_documents == -1


@every_way
def test_a_database_clock_that_moves(way: Callable[[], Decision]) -> None:
    """All stored times are moved the other way, which for the rule is the same.

    It knows times by their differences to the clock only. A real server's clock is moved in
    `tests/concurrency/test_server_clock.py`.
    """

    def move_the_databases_clock(seconds: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE doc_priority_counter"
                " SET updated_at = updated_at - %s, recovered_at = recovered_at - %s",
                [seconds * SECOND, seconds * SECOND],
            )

    # Set back and restored.
    for recovery in Recovery:
        Customer.objects.all().delete()
        policy = Policy.objects.create(name=recovery, recovery=recovery)
        Customer.objects.create(key="acme", policy=policy)
        counts = [way().pending_documents, way().pending_documents]
        move_the_databases_clock(-1800)
        before = Counter.objects.get().updated_at
        decision = way()
        assert decision.decided_at == Counter.objects.get().updated_at == before
        counts += [decision.pending_documents, services.peek("acme").pending_documents]
        move_the_databases_clock(1800)
        counts.append(way().pending_documents)
        assert counts == [0, -1, -2, -2, -3], recovery

    # The counter-proof: a clock moved on by more than the interval does reset.
    Customer.objects.all().delete()
    way()
    way()
    move_the_databases_clock(1499)
    assert way().pending_documents == -2
    move_the_databases_clock(1501)
    assert (way().pending_documents, services.peek("acme").pending_documents) == (0, 0)

    # A reset while the clock is back goes on from the last update.
    move_the_databases_clock(-1800)
    before = Counter.objects.get().updated_at
    services.reset("acme")
    assert Counter.objects.get().updated_at == before


def test_across_daylight_saving(settings) -> None:
    for use_tz in (True, False):
        settings.USE_TZ = use_tz
        Customer.objects.all().delete()
        for key, change in CHANGES.items():
            before, after = change - HALF_MINUTE, change + HALF_MINUTE
            moments = [before, after, after + INTERVAL, after + 2 * INTERVAL + MICROSECOND]
            decisions = [services.check(key, at=moment.astimezone(BERLIN)) for moment in moments]
            assert [one.pending_documents for one in decisions] == [0, -1, -2, 0]
            assert [one.decided_at for one in decisions] == moments
            assert [one.resets_at for one in decisions] == [moment + INTERVAL for moment in moments]
            shown = Customer.objects.live(moments[-1].astimezone(BERLIN)).get(key=key)
            assert (shown.updated_at, shown.resets_at) == (moments[-1], moments[-1] + INTERVAL)

        # The hour that comes twice.
        first = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
        services.check("acme", at=first)
        assert services.check("acme", at=first).pending_documents == -1
        again = services.check("acme", at=first.replace(fold=1))
        assert (again.pending_documents, again.reset) == (0, True)
        assert again.decided_at == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


@every_way
def test_the_databases_time_does_not_depend_on_use_tz(
    way: Callable[[], Decision], settings
) -> None:
    usual = settings.USE_TZ
    for use_tz in (True, False):
        Customer.objects.all().delete()
        settings.USE_TZ = usual
        way()
        settings.USE_TZ = use_tz
        decision = way()
        settings.USE_TZ = not use_tz
        assert is_now(decision.decided_at)
        assert (decision.pending_documents, way().pending_documents) == (-1, -2)
        assert is_now(Counter.objects.get().updated_at)
        assert is_now(services.peek("acme").decided_at)


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_daylight_saving_of_the_databases_session() -> None:
    """The session's offset moves by an hour between two checks, as Berlin's does."""
    on_mariadb = connection.vendor == "mysql"

    def set_zone(zone: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET time_zone = {zone}" if on_mariadb else f"SET TIME ZONE {zone}")

    with connection.cursor() as cursor:
        cursor.execute("SELECT @@time_zone" if on_mariadb else "SHOW TIME ZONE")
        (before,) = cursor.fetchone()
    try:
        for offsets, way in product([("+01:00", "+02:00"), ("+02:00", "+01:00")], WAYS.values()):
            Customer.objects.all().delete()
            decisions = []
            for offset in offsets:
                set_zone(f"'{offset}'" if on_mariadb else f"INTERVAL '{offset}' HOUR TO MINUTE")
                decisions += [way(), services.peek("acme")]
                assert Customer.objects.live().get().counting
            assert [one.pending_documents for one in decisions] == [0, 0, -1, -1]
            assert all(is_now(one.decided_at) for one in decisions)
        for key, change in () if on_mariadb else CHANGES.items():
            set_zone("'Europe/Berlin'")
            services.check(key, at=change - HALF_MINUTE)
            decision = services.check(key, at=change + HALF_MINUTE)
            assert (decision.pending_documents, decision.decided_at) == (-1, change + HALF_MINUTE)
            assert Counter.objects.get(customer=key).updated_at == change + HALF_MINUTE
    finally:
        # What the session had comes back, for it goes on to other tests.
        set_zone(f"'{before}'")
