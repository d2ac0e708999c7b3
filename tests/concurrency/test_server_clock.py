"""A PostgreSQL server of its own, whose clock really moves."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from uuid import uuid4

import pytest
from django.core.management import call_command

from doc_priority import services
from doc_priority.models import Counter, Customer, Policy
from doc_priority.types import Decision, Recovery
from tests.databases import connection_elsewhere
from tests.private_postgresql import PrivatePostgresql, obstacle, private_postgresql

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgresql,
]

HALF_HOUR = timedelta(seconds=1800)


def libfaketime() -> str | None:
    found = sorted(glob("/usr/lib/*/faketime/libfaketime.so.1"))
    return found[-1] if found else None


class Clock(NamedTuple):
    """The clock of the server; libfaketime reads how far it is off from a file."""

    file: Path

    def move(self, by: timedelta) -> None:
        self.file.write_text(f"{by.total_seconds():+f}\n")

    def move_to(self, moment: datetime) -> None:
        self.move(moment - datetime.now(UTC))


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[PrivatePostgresql, Clock]]:
    """A private server, and its clock."""
    reason = obstacle() if libfaketime() else "libfaketime is not installed"
    if reason:
        pytest.skip(reason)
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the server is somebody else where root runs the tests
        clock = Clock(Path(folder, "clock"))
        clock.move(timedelta())
        with private_postgresql(
            *("-F", "-c", "timezone=Europe/Berlin"),
            LD_PRELOAD=libfaketime(),
            FAKETIME_TIMESTAMP_FILE=str(clock.file),
            FAKETIME_NO_CACHE="1",
            FAKETIME_DONT_FAKE_MONOTONIC="1",
        ) as server:
            yield server, clock


@pytest.fixture
def clock(server: tuple[PrivatePostgresql, Clock], settings) -> Iterator[Clock]:
    """The clock of the server this test is connected to, instead of the usual one."""
    private, clock = server
    with connection_elsewhere(**private.settings):
        call_command("migrate", verbosity=0)
        Customer.objects.all().delete()
        Policy.objects.all().delete()
        yield clock
        clock.move(timedelta())


WAYS: dict[str, Callable[[str], Decision]] = {
    "check": services.check,
    "document": lambda key: services.check(key, document=str(uuid4())),
    "check_many": lambda key: services.check_many([key])[0],
}


def test_set_back_half_an_hour_and_restored(clock: Clock) -> None:
    for recovery in Recovery:
        policy = Policy.objects.create(name=recovery, recovery=recovery)
        for name, way in WAYS.items():
            key = f"{name}-{recovery}"
            Customer.objects.create(key=key, policy=policy)
            decisions = [way(key), way(key)]
            before = Counter.objects.get(customer=key).updated_at
            clock.move(-HALF_HOUR)
            decisions.append(way(key))
            assert Counter.objects.get(customer=key).updated_at == before
            clock.move(timedelta())
            decisions += [way(key), services.peek(key)]
            assert [one.pending_documents for one in decisions] == [0, -1, -2, -3, -3]
            assert [one.reset for one in decisions] == [False] * 5
            times = [one.decided_at for one in decisions]
            assert times == sorted(times)
            assert Counter.objects.get(customer=key).updated_at == decisions[3].decided_at


def test_the_servers_clock_decides(clock: Clock) -> None:
    """The counter-proof: this clock does move, and with it the interval passes."""
    for key, way in WAYS.items():
        way(key)
    clock.move(HALF_HOUR)
    for key, way in WAYS.items():
        decision = way(key)
        assert (decision.pending_documents, decision.reset) == (0, True)
        assert decision.decided_at - datetime.now(UTC) > HALF_HOUR - timedelta(minutes=1)


@pytest.mark.parametrize("use_tz", [True, False])
@pytest.mark.parametrize(
    "change",
    [datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, tzinfo=UTC)],
    ids=["clocks go forward", "clocks go back"],
)
def test_the_night_clocks_change_in_berlin(
    change: datetime, use_tz: bool, clock: Clock, settings
) -> None:
    settings.USE_TZ = use_tz
    clock.move_to(change - timedelta(seconds=30))
    before = {key: way(key) for key, way in WAYS.items()}
    clock.move_to(change + timedelta(seconds=30))
    for key, way in WAYS.items():
        decisions = [before[key], way(key), services.peek(key)]
        assert Customer.objects.live().get(key=key).pending_documents == -1
        assert [one.pending_documents for one in decisions] == [0, -1, -1]
        minute = decisions[1].decided_at - decisions[0].decided_at
        assert abs(minute - timedelta(seconds=60)) < timedelta(seconds=20)
