"""What is killed, and when everybody is back from it."""

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from django.db import connection

from tests.private_postgresql import PrivatePostgresql
from tests.proof.crash.clients import Client, Crowd
from tests.proof.crash.journal import Kind

LONGEST_PAUSE = 0.03
BACKENDS = """
    SELECT pid FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


@dataclass(frozen=True)
class Blow:
    fell: float
    """From when on calls may have failed."""
    repaired: float
    """When what was killed was started again, or began to recover by itself."""
    _told_after: Callable[[Client, float], float | None]

    def recovery_of(self, client: Client) -> float | None:
        """When it was told something for the first time afterwards, if it was."""
        return self._told_after(client, self.fell)

    def seconds(self, clients: Crowd) -> float:
        """Until the last of them was back."""
        return max(filter(None, map(self.recovery_of, clients))) - self.repaired


Strike = Callable[[Crowd, PrivatePostgresql], Blow]


def strike_once(strike: Strike, clients: Crowd, server: PrivatePostgresql) -> Blow:
    """Anywhere in the course of their calls; then wait until all of them are at work again."""
    Event().wait(random.uniform(0, LONGEST_PAUSE))
    blow = strike(clients, server)
    clients.wait_until(blow.recovery_of)
    return blow


def kill_a_client(clients: Crowd, _server: PrivatePostgresql) -> Blow:
    """One of them; another process takes its place at once."""
    client = random.choice(clients)
    client.kill()
    fell = time.monotonic()
    client.replace()
    return Blow(fell, fell, _told_since)


def kill_a_backend(_clients: Crowd, _server: PrivatePostgresql) -> Blow:
    """The process that serves one of them: the server drops all sessions and recovers."""
    with connection.cursor() as cursor:
        cursor.execute(BACKENDS)
        pids = [pid for (pid,) in cursor.fetchall()]
    connection.close()
    fell = time.monotonic()
    os.kill(random.choice(pids), signal.SIGKILL)
    return Blow(fell, fell, _told_after_a_failure)


def kill_the_server(_clients: Crowd, server: PrivatePostgresql) -> Blow:
    """All its processes; it is started again at once."""
    connection.close()
    fell = time.monotonic()
    server.kill()
    repaired = time.monotonic()
    server.start()
    return Blow(fell, repaired, _told_after_a_failure)


def _told_since(client: Client, moment: float) -> float | None:
    told = client.since(moment, Kind.TOLD)
    return told[0].at if told else None


def _told_after_a_failure(client: Client, moment: float) -> float | None:
    """An answer that was under way when the blow fell does not count."""
    failed = client.since(moment, Kind.FAILED)
    return _told_since(client, failed[0].at) if failed else None
