"""10,000 bulk calls from 16 threads, with the same customers in every order."""

import time
from dataclasses import dataclass

from doc_priority import services
from tests.proof.deadlocks.calls import bulk_calls, customers
from tests.proof.deadlocks.crowding import made_at_once
from tests.proof.deadlocks.exactness import wrong_customers
from tests.proof.deadlocks.twin import deadlocks_of_the_naive
from tests.proof.suite import Suite, Trial


@dataclass(frozen=True)
class Bounds:
    calls: int
    threads: int
    customers: int
    patience: float


def run(trial: Trial, bounds: Bounds) -> None:
    keys = customers(bounds.customers)
    calls = bulk_calls(keys, bounds.calls)
    services.check_many(keys)  # a first check counts nothing
    trial.say(f"{bounds.calls:,} calls for {bounds.customers} customers, {bounds.threads} threads")
    began = time.monotonic()
    seen = made_at_once(calls, threads=bounds.threads, patience=bounds.patience)
    seconds = time.monotonic() - began
    trial.find(
        "No deadlock reaches the caller",
        asked=f"{bounds.calls:,} bulk calls from {bounds.threads} threads, 0 deadlocks",
        seen=f"{seen.calls:,} calls, {seen.deadlocks} deadlocks ({seen.calls / seconds:,.0f}/s, "
        f"{seen.retried} retried unseen, {seen.refused} asked again)",
        held=seen.calls == bounds.calls and not seen.deadlocks,
    )
    wrong = wrong_customers(calls)
    told = "".join(f", {key}: {what}" for key, what in list(wrong.items())[:1])
    trial.find(
        "Afterwards counters, decisions and events are exact",
        asked="all customers",
        seen=f"{len(keys) - len(wrong)} of {len(keys)}{told}",
        held=not wrong,
    )
    met = deadlocks_of_the_naive(calls, threads=bounds.threads, patience=bounds.patience)
    trial.control(
        "one UPDATE for each customer, in the order given",
        seen=f"{met} of {bounds.threads} threads ended in a deadlock",
        caught=met > 0,
    )


DEADLOCKS = Suite(
    name="deadlocks",
    title="bulk calls take the same customers in every order",
    places=("postgresql", "mariadb"),
    run=run,
    short=Bounds(calls=600, threads=16, customers=40, patience=120),
    full=Bounds(calls=10_000, threads=16, customers=40, patience=1_800),
    short_limit=300,
    full_limit=3_600,
)
