"""Clients, a backend and a whole PostgreSQL server are killed amid checks that name documents."""

import os
import random
import signal
import time
from bisect import bisect
from collections import Counter as Tally
from collections.abc import Callable, Iterator
from itertools import takewhile
from multiprocessing.connection import wait
from pathlib import Path
from statistics import median
from threading import Event

import pytest
import pytest_django
from django.core.management import call_command
from django.db import connection
from django.db.models import Count, F, Max, Min

from doc_priority.models import Counter, Customer, DocumentDecision
from tests.databases import connection_elsewhere
from tests.private_postgresql import PrivatePostgresql, obstacle, private_postgresql
from tests.proof import worker

pytestmark = [
    pytest.mark.proof,
    pytest.mark.postgresql,
    pytest.mark.skipif(bool(obstacle()), reason=obstacle()),
]

PATIENCE = 60


@pytest.fixture(scope="module")
def careful_server(
    django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker
) -> Iterator[PrivatePostgresql]:
    """A server that has its own tables, and whose disk has all that it confirms."""
    options = ["fsync=on", "synchronous_commit=on"]
    # One call for the disk, where the default makes one for each of a thousand files.
    options.append("recovery_init_sync_method=syncfs")
    with private_postgresql(*(word for option in options for word in ("-c", option))) as server:
        with django_db_blocker.unblock(), connection_elsewhere(**server.settings):
            call_command("migrate", verbosity=0)
        yield server


@pytest.fixture
def server(
    careful_server: PrivatePostgresql, transactional_db: None
) -> Iterator[PrivatePostgresql]:
    with connection_elsewhere(**careful_server.settings):
        yield careful_server
        Customer.objects.all().delete()


class Client:
    """A process that makes call after call; one that is killed can be replaced."""

    def __init__(self, name: str, stop: Path) -> None:
        self.name = name
        self.stop = stop
        self.notes: list[worker.Note] = []
        self.start()

    def start(self) -> None:
        number = sum(note.kind == "told" for note in self.notes)
        self.pipe, notes = worker.PROCESSES.Pipe(duplex=False)
        database = connection.settings_dict
        self.process = worker.PROCESSES.Process(
            target=worker.keep_checking,
            args=(database, self.name, number, notes, self.stop),
            daemon=True,
        )
        self.process.start()
        notes.close()

    def read(self) -> None:
        while self.pipe.poll():
            self.notes.append(self.pipe.recv())

    def read_to_the_end(self) -> None:
        try:
            while True:
                self.notes.append(self.pipe.recv())
        except EOFError:
            self.pipe.close()
            self.process.join(PATIENCE)

    def since(self, moment: float, kind: str) -> list[worker.Note]:
        """Its notes of this kind after the moment, the earliest first."""
        late = takewhile(lambda note: note.at > moment, reversed(self.notes))
        return [note for note in late if note.kind == kind][::-1]


@pytest.mark.parametrize(
    ("killed", "commit", "short_kills", "full_kills"),
    [
        ("a client", "on", 25, 500),
        ("a backend", "on", 4, 50),
        ("the server", "on", 2, 20),
        # A control: who confirms before it is on the disk loses what was told.
        ("the server", "off", 5, 5),
    ],
)
def test_what_was_told_is_stored_and_counted_once(
    killed: str,
    commit: str,
    short_kills: int,
    full_kills: int,
    full: bool,
    server: PrivatePostgresql,
    tmp_path: Path,
) -> None:
    count, kills = (8, full_kills) if full else (4, short_kills)
    # Whose decisions are not 0, -1, … down to the counter, each once. It is asked for in one
    # statement, so that clients may go on meanwhile.
    decided = "customer__documents__pending_documents"
    wrong_counters = Counter.objects.annotate(
        decisions=Count("customer__documents"),
        different=Count(decided, distinct=True),
        first=Max(decided),
        last=Min(decided),
    ).exclude(
        decisions=1 - F("pending_documents"),
        different=1 - F("pending_documents"),
        first=0,
        last=F("pending_documents"),
    )

    def wait_until_all(condition: Callable[[Client], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not all(condition(client) for client in clients):
            wait([client.pipe for client in clients], timeout=1)
            for client in clients:
                client.read()
            assert time.monotonic() < deadline, f"somebody is not back after {PATIENCE} s"

    def kill() -> tuple[float, float]:
        """When it fell, and when what was killed began to come back."""
        if killed == "a client":
            client = random.choice(clients)
            client.process.kill()
            client.read_to_the_end()
            fell = time.monotonic()
            client.start()  # another process takes its place at once
            return fell, fell
        with connection.cursor() as cursor:
            cursor.execute("""
                SELECT pid FROM pg_stat_activity
                 WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
            """)
            pids = [pid for (pid,) in cursor.fetchall()]
        connection.close()
        fell = time.monotonic()
        if killed == "a backend":
            # The server drops all sessions and recovers.
            os.kill(random.choice(pids), signal.SIGKILL)
            return fell, fell
        # All its processes, without the care of a shutdown, which would have written all of it.
        server.kill()
        repaired = time.monotonic()
        server.start()
        return fell, repaired

    def recovered(client: Client) -> list[worker.Note]:
        """An answer that was under way when the server's processes were killed does not count."""
        if killed == "a client":
            return client.since(fell, "told")
        failed = client.since(fell, "failed")
        return client.since(failed[0].at, "told") if failed else []

    def lost_documents() -> set[tuple[str, str, int]]:
        """Decisions that a client was told and that are not stored; clients may go on meanwhile."""
        told = {one for client in clients for note in client.notes for one in note.decisions}
        stored = DocumentDecision.objects.values_list("customer", "document", "pending_documents")
        return told - set(stored)

    fallen, seconds, stop = [], [], tmp_path / "stop"
    usual = connection.settings_dict["OPTIONS"]
    options = {**usual, "options": f"-c synchronous_commit={commit}"}
    with connection_elsewhere(OPTIONS=options):
        clients = [Client(f"client-{number}", stop) for number in range(count)]
        try:
            wait_until_all(lambda client: client.since(0, "told"))
            for number in range(kills):
                Event().wait(random.uniform(0, 0.03))  # anywhere in the course of their calls
                fallen.append(time.monotonic())
                fell, repaired = kill()
                wait_until_all(recovered)
                seconds.append(max(recovered(one)[0].at for one in clients) - repaired)
                if commit == "on":
                    assert not wrong_counters.all(), f"after {number + 1} kills"
                elif lost_documents():
                    break
        finally:
            stop.touch()  # each has been told then what it had asked for
            for client in clients:
                client.read_to_the_end()
    assert [client.process.exitcode for client in clients] == [0] * count

    if commit == "off":
        print(f"\nsynchronous_commit off: {len(lost_documents())} documents lost that were told")
        assert lost_documents() != set()
        return
    notes = [note for client in clients for note in client.notes]
    told = sum(len(note.decisions) for note in notes)
    kinds = Tally(note.kind for note in notes)
    repeated = sum(note.repeated for note in notes)
    print(
        f"\n{killed}: {kills} kills amid {told:,} documents, 0 wrong counters, 0 lost, "
        f"0 twice; {repeated} calls were repeated after their COMMIT, {kinds['failed']} failed, "
        f"{kinds['refused']} were refused; at work again within {max(seconds):.2f} s, "
        f"mostly {median(seconds):.2f} s"
    )
    assert not wrong_counters.all()
    assert lost_documents() == set()
    assert sum(1 - counter.pending_documents for counter in Counter.objects.all()) == told
    assert max(seconds) <= 5

    # Whoever waits for the server, then repeats, sees one failed call for each kill; two if it was
    # back before the server had noticed that one of its processes is gone.
    most = 2 if killed == "a backend" else 1
    for client in clients:
        failed = Tally(bisect(fallen, note.at) for note in client.since(0, "failed"))
        assert max(failed.values(), default=0) <= most
    if killed == "a client":
        assert repeated > 0, "no client was killed between the COMMIT and its answer"
    else:
        assert count * kills <= kinds["failed"] <= most * count * kills
