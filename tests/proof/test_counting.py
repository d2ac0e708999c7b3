"""Many processes with many threads count on few customers and on many: none lost, none twice."""

import time
from collections import Counter as Tally
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest
from django.db import connection

from doc_priority import rules
from doc_priority.conf import settings
from doc_priority.models import Counter, Customer, DocumentDecision
from tests.databases import connection_elsewhere
from tests.proof import worker

pytestmark = [pytest.mark.proof, pytest.mark.django_db(transaction=True)]


def test_every_check_of_a_crowd_counts_exactly_once(full: bool) -> None:
    """Under each isolation level; every tenth check names its document."""
    processes, threads, checks = (8, 8, 100_000) if full else (4, 4, 2_000)

    def at_once(
        action: Callable[[str, str], Any], items: list[tuple[str, str]]
    ) -> tuple[list[Any], float]:
        """What came of each item, and the seconds; one with a document goes to two processes."""
        shares: list[list[tuple[str, str]]] = [[] for _ in range(processes * threads)]
        for number, item in enumerate(items):
            shares[number % len(shares)].append(item)
            if item[1]:
                shares[(number + 1) % len(shares)].append(item)
        begun_with = (connection.settings_dict, worker.PROCESSES.Barrier(processes))
        with ProcessPoolExecutor(processes, worker.PROCESSES, worker.begin, begun_with) as pool:
            began = time.monotonic()
            futures = [
                pool.submit(worker.in_threads_of_one_process, action, shares[number::processes])
                for number in range(processes)
            ]
            done = [one for future in futures for one in future.result()]
            return done, time.monotonic() - began

    # Who gets SQLite's lock next is left to chance, so now and then one waits too long.
    may_be_refused = 0.001 if full and connection.vendor != "sqlite" else 0.01

    isolation = {
        "postgresql": "SHOW transaction_isolation",
        # MariaDB gave the first one its new name in 11.1; the other one follows it.
        "mysql": """
            SELECT GROUP_CONCAT(DISTINCT variable_value ORDER BY variable_value DESC SEPARATOR ', ')
              FROM information_schema.session_variables
             WHERE variable_name IN
                ('tx_isolation', 'transaction_isolation', 'innodb_snapshot_isolation')
        """,
        "sqlite": "SELECT 'none'",
    }[connection.vendor]
    postgresql = "-c default_transaction_isolation="
    mariadb = "SET sql_mode = 'STRICT_TRANS_TABLES', innodb_snapshot_isolation = "
    committed, repeatable = "read committed", "repeatable read"
    levels: list[tuple[str, dict[str, str]]] = {
        "sqlite": [("none", {})],
        "postgresql": [
            (committed, {"options": rf"{postgresql}read\ committed"}),
            (repeatable, {"options": rf"{postgresql}repeatable\ read"}),
            ("serializable", {"options": f"{postgresql}serializable"}),
        ],
        "mysql": [
            (f"{told}, {snapshot}", {"isolation_level": level, "init_command": mariadb + snapshot})
            for told, level, snapshot in (
                ("READ-COMMITTED", committed, "OFF"),
                ("REPEATABLE-READ", repeatable, "OFF"),
                ("REPEATABLE-READ", repeatable, "ON"),
            )
        ],
    }[connection.vendor]

    for place, (level, options) in enumerate(levels):
        for customers in (1, 50, 5_000) if full else (1, 50):
            keys = [f"{place}-{customers}-{number}" for number in range(customers)]
            items = [
                (keys[number % customers], f"D-{number}" if number % 10 == 0 else "")
                for number in range(checks)
            ]
            usual = connection.settings_dict["OPTIONS"]
            with connection_elsewhere(OPTIONS={**usual, **options}):
                with connection.cursor() as cursor:
                    cursor.execute(isolation)
                    assert cursor.fetchone() == (level,)
                answers, seconds = at_once(worker.check, items)
            decisions = [decision for decision, _ in answers]

            # A customer's first check leaves its counter at 0; each other one takes it one down.
            expected = Tally(customer for customer, _ in items)
            due = Tally((key, -down) for key, times in expected.items() for down in range(times))
            counted = Tally(
                (one.customer, one.pending_documents) for one in decisions if not one.repeated
            )
            assert not due - counted, f"{level}: lost"
            assert not counted - due, f"{level}: counted twice"
            counters = Counter.objects.filter(customer__in=keys)
            stored = dict(counters.values_list("customer", "pending_documents"))
            assert stored == {key: 1 - times for key, times in expected.items()}, level

            thresholds = settings.default_policy.terms.thresholds
            for one in decisions:
                assert one.priority == rules.priority_of(one.pending_documents, thresholds)
            named = [one for one in decisions if one.document]
            assert len(decisions) == checks + checks // 10
            assert Tally(one.repeated for one in named) == {False: checks // 10, True: checks // 10}
            kept = DocumentDecision.objects.filter(customer__in=keys)
            assert {(one.customer, one.document, one.pending_documents) for one in named} == set(
                kept.values_list("customer", "document", "pending_documents")
            ), level

            refused = sum(times > 0 for _, times in answers) / len(answers)
            print(
                f"\n{level}, customers: {customers:,}: {checks:,} checks, 0 lost, 0 twice, "
                f"{refused:.3%} asked again ({len(answers) / seconds:,.0f}/s)"
            )
            assert refused <= may_be_refused, level

    # The control: the crowd does meet, and loses counts where it reads, then saves.
    Customer.objects.create(key="naive")
    Counter.objects.create(customer_id="naive")
    at_once(worker.read_then_save, [("naive", "")] * 2_000)
    lost = 2_000 + Counter.objects.get(customer="naive").pending_documents
    print(f"\nreading, then saving: {lost:,} of 2,000 counts lost")
    assert lost > 0
