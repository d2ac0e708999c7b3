"""Clients are killed 500 times, a backend 50 times, the whole server 20 times, amid checks."""

from dataclasses import dataclass
from statistics import median

from django.core.management import call_command

from tests.elsewhere import connection_elsewhere
from tests.private_postgresql import obstacle, private_postgresql
from tests.proof.crash.blows import Strike, kill_a_backend, kill_a_client, kill_the_server
from tests.proof.crash.controls import confirm_before_it_is_safe, count_in_two_steps
from tests.proof.crash.scenes import Toll, play
from tests.proof.suite import Suite, Trial

SECONDS = 5
"""After so long all clients must be at work again."""

SAFE = (
    *("-c", "fsync=on", "-c", "synchronous_commit=on"),
    # One call for the disk, where the default makes one for each of a thousand files.
    *("-c", "recovery_init_sync_method=syncfs"),
)


@dataclass(frozen=True)
class Bounds:
    clients: int
    of_a_client: int
    of_a_backend: int
    of_the_server: int


def run(trial: Trial, bounds: Bounds) -> None:
    if reason := obstacle():
        raise SystemExit(f"crash kills a server of its own, but {reason}")
    strikes: tuple[tuple[str, Strike, int], ...] = (
        ("a client", kill_a_client, bounds.of_a_client),
        ("a backend", kill_a_backend, bounds.of_a_backend),
        ("the whole server", kill_the_server, bounds.of_the_server),
    )
    with private_postgresql(*SAFE) as server, connection_elsewhere(**server.settings):
        call_command("migrate", verbosity=0)
        for victim, strike, kills in strikes:
            scene = victim.replace(" ", "-")
            toll = play(scene, strike, server, kills=kills, count=bounds.clients)
            _find(trial, victim, toll)
        count_in_two_steps(trial, server)
        confirm_before_it_is_safe(trial, server)


def _find(trial: Trial, victim: str, toll: Toll) -> None:
    of = f"SIGKILL of {victim}"
    trial.find(
        f"Counters are what the decisions say ({of})",
        asked=f"{toll.kills} kills, 0 wrong counters",
        seen=f"{toll.kills} kills amid {toll.told:,} documents, {toll.wrong_counters} wrong",
        held=toll.wrong_counters == 0,
    )
    trial.find(
        f"What a client was told is stored, and counted once ({of})",
        asked="0 lost, 0 twice",
        seen=f"{toll.lost} lost, {toll.twice} twice of {toll.told:,} documents; "
        f"{toll.repeated} calls were repeated after their COMMIT",
        held=not (toll.lost or toll.twice),
    )
    trial.find(
        f"A client that waits for a connection, then repeats, sees one failure at most ({of})",
        asked="at most 1 failed call per client and kill",
        seen=f"at most {toll.failed_at_once}; {toll.failed:,} failed calls of {toll.clients} "
        f"clients, {toll.refused:,} asked again for a locked counter",
        held=toll.failed_at_once <= 1,
    )
    trial.find(
        f"All clients are at work again ({of})",
        asked=f"within {SECONDS} s of the kill, or of the start of the server "
        "(recovery_init_sync_method=syncfs)",
        seen=f"within {max(toll.seconds):.2f} s, mostly {median(toll.seconds):.2f} s",
        held=max(toll.seconds) <= SECONDS,
        measured=True,
    )


CRASH = Suite(
    name="crash",
    title="clients, a backend and the whole server are killed amid checks",
    places=("postgresql",),
    run=run,
    short=Bounds(clients=4, of_a_client=25, of_a_backend=4, of_the_server=2),
    full=Bounds(clients=8, of_a_client=500, of_a_backend=50, of_the_server=20),
    short_limit=300,
    full_limit=3_600,
)
