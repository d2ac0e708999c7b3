"""Bugs on purpose, each of which the kills must bring to light."""

from doc_priority.models import Counter, Customer
from tests.elsewhere import connection_elsewhere
from tests.private_postgresql import PrivatePostgresql
from tests.proof.crash import books
from tests.proof.crash.blows import kill_a_client, kill_the_server, strike_once
from tests.proof.crash.calls import check, count_then_keep, customers
from tests.proof.crash.clients import crowd
from tests.proof.suite import Trial

CLIENTS = 3
KILLS, ROUNDS = 10, 6
"""So many clients are killed, and so often at most, until one died between the two steps."""
CRASHES = 5
"""So often the server is killed at most, until something is lost."""


def count_in_two_steps(trial: Trial, server: PrivatePostgresql) -> None:
    unharmed, _ = _two_steps("unharmed", server, kills=0)
    wrong = twice = rounds = 0
    while not wrong and rounds < ROUNDS:
        wrong, twice = _two_steps(f"two-steps-{rounds}", server, kills=KILLS)
        rounds += 1
    trial.control(
        "counting and keeping the decision in two transactions, clients killed",
        seen=f"{wrong} wrong counters, {twice} documents counted twice after {rounds * KILLS} "
        f"kills, {unharmed} wrong ones without a kill",
        caught=wrong > 0 and twice > 0 and not unharmed,
    )


def _two_steps(scene: str, server: PrivatePostgresql, *, kills: int) -> tuple[int, int]:
    """Wrong counters, and documents that were counted twice."""
    keys = customers(scene)
    Customer.objects.bulk_create([Customer(key=key) for key in keys])
    Counter.objects.bulk_create([Counter(customer_id=key) for key in keys])
    with crowd(CLIENTS, scene=scene, asking=count_then_keep) as clients:
        clients.wait_until(lambda client: len(list(client.told())) >= len(keys))
        for _ in range(kills):
            strike_once(kill_a_client, clients, server)
        clients.finish()
        return books.wrong_counters(scene), books.differences(clients, scene).twice


def confirm_before_it_is_safe(trial: Trial, server: PrivatePostgresql) -> None:
    scene, found, crashes = "unsafe", 0, 0
    unsafe = {"options": "-c synchronous_commit=off"}
    with (
        connection_elsewhere(OPTIONS=unsafe),
        crowd(CLIENTS, scene=scene, asking=check) as clients,
    ):
        while not found and crashes < CRASHES:
            strike_once(kill_the_server, clients, server)
            found = books.lost_since(0, clients, scene)
            crashes += 1
    trial.control(
        "confirming before it is on the disk (synchronous_commit off), the server killed",
        seen=f"{found:,} documents lost that were told, after {crashes} kills",
        caught=found > 0,
    )
