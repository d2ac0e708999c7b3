"""A PostgreSQL server of our own, whose clock is really moved."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from glob import glob
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
from django.core.management import call_command

from doc_priority import services
from doc_priority.models import Counter, Customer, Policy
from doc_priority.types import Decision, Recovery
from tests.databases import connection_elsewhere
from tests.private_postgresql import obstacle, private_postgresql

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgresql,
]


def test_a_clock_that_moves(settings) -> None:
    """libfaketime reads from a file how far the server's clock is off."""
    [*_, libfaketime] = ["", *sorted(glob("/usr/lib/*/faketime/libfaketime.so.1"))]
    if reason := obstacle() if libfaketime else "libfaketime is not installed":
        pytest.skip(reason)
    half_hour = timedelta(seconds=1800)
    ways: dict[str, Callable[[str], Decision]] = {
        "check": services.check,
        "document": lambda key: services.check(key, document=str(uuid4())),
        "check_many": lambda key: services.check_many([key])[0],
    }
    with TemporaryDirectory() as folder, ExitStack() as stack:
        Path(folder).chmod(0o755)  # the server is somebody else where root runs the tests
        file = Path(folder, "clock")

        def move(by: timedelta) -> None:
            file.write_text(f"{by.total_seconds():+f}\n")

        move(timedelta())
        server = private_postgresql(
            *("-F", "-c", "timezone=Europe/Berlin"),
            LD_PRELOAD=libfaketime,
            FAKETIME_TIMESTAMP_FILE=str(file),
            FAKETIME_NO_CACHE="1",
            FAKETIME_DONT_FAKE_MONOTONIC="1",
        )
        stack.enter_context(connection_elsewhere(**stack.enter_context(server).settings))
        call_command("migrate", verbosity=0)

        # Set back half an hour, and restored.
        for recovery, (name, way) in product(Recovery, ways.items()):
            policy, _ = Policy.objects.get_or_create(name=recovery, recovery=recovery)
            key = Customer.objects.create(key=f"{name}-{recovery}", policy=policy).key
            decisions = [way(key), way(key)]
            before = Counter.objects.get(customer=key).updated_at
            move(-half_hour)
            decisions.append(way(key))
            assert Counter.objects.get(customer=key).updated_at == before
            move(timedelta())
            decisions += [way(key), services.peek(key)]
            assert [one.pending_documents for one in decisions] == [0, -1, -2, -3, -3]
            assert [one.reset for one in decisions] == [False] * 5
            times = [one.decided_at for one in decisions]
            assert times == sorted(times)
            assert Counter.objects.get(customer=key).updated_at == decisions[3].decided_at

        # The counter-proof: this clock does move, and with it the interval passes.
        first = {key: way(key) for key, way in ways.items()}
        move(half_hour)
        for key, way in ways.items():
            decision = way(key)
            assert (first[key].pending_documents, decision.pending_documents) == (0, 0)
            assert decision.reset
            assert decision.decided_at - datetime.now(UTC) > half_hour - timedelta(minutes=1)

        # The nights clocks change in Berlin: they go forward, and back.
        changes = [datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, tzinfo=UTC)]
        for change, use_tz in product(changes, (True, False)):
            Customer.objects.all().delete()
            settings.USE_TZ = use_tz
            move(change - timedelta(seconds=30) - datetime.now(UTC))
            first = {key: way(key) for key, way in ways.items()}
            move(change + timedelta(seconds=30) - datetime.now(UTC))
            for key, way in ways.items():
                decisions = [first[key], way(key), services.peek(key)]
                assert Customer.objects.live().get(key=key).pending_documents == -1
                assert [one.pending_documents for one in decisions] == [0, -1, -1]
                minute = decisions[1].decided_at - decisions[0].decided_at
                assert abs(minute - timedelta(seconds=60)) < timedelta(seconds=20)
