"""One kind of kill, again and again amid checks, and what came of it."""

from bisect import bisect
from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.private_postgresql import PrivatePostgresql
from tests.proof.crash import books
from tests.proof.crash.blows import Strike, strike_once
from tests.proof.crash.calls import check
from tests.proof.crash.clients import Crowd, crowd
from tests.proof.crash.journal import Kind


@dataclass
class Toll:
    """What the kills of one kind did."""

    clients: int
    kills: int
    wrong_counters: int = 0
    lost: int = 0
    twice: int = 0
    told: int = 0
    repeated: int = 0
    failed: int = 0
    failed_at_once: int = 0
    """The most calls of one client that failed between one kill and the next."""
    refused: int = 0
    seconds: list[float] = field(default_factory=list)
    """From each kill until the last client was told something again."""


def play(scene: str, strike: Strike, server: PrivatePostgresql, *, kills: int, count: int) -> Toll:
    toll = Toll(count, kills)
    with crowd(count, scene=scene, asking=check) as clients:
        fallen = [0.0]
        for _ in range(kills):
            blow = strike_once(strike, clients, server)
            toll.seconds.append(blow.seconds(clients))
            toll.wrong_counters += books.wrong_counters(scene)
            toll.lost += books.lost_since(fallen[-1], clients, scene)
            fallen.append(blow.fell)
        clients.finish()
        _sum_up(clients, scene, toll)
        toll.failed_at_once = _failed_at_once(clients, fallen)
    return toll


def _sum_up(clients: Crowd, scene: str, toll: Toll) -> None:
    found = books.differences(clients, scene)
    toll.lost, toll.twice = max(toll.lost, found.lost), found.twice
    for client in clients:
        kinds = [note.kind for note in client.notes]
        toll.failed += kinds.count(Kind.FAILED)
        toll.refused += kinds.count(Kind.REFUSED)
        toll.told += sum(len(note.counts) for note in client.notes)
        toll.repeated += sum(note.repeated for note in client.notes)


def _failed_at_once(clients: Crowd, fallen: Sequence[float]) -> int:
    tallies = [
        Tally(bisect(fallen, note.at) for note in client.since(0, Kind.FAILED))
        for client in clients
    ]
    return max((count for tally in tallies for count in tally.values()), default=0)
