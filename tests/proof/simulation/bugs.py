"""Bugs that somebody could write into doc_priority, each of which a few seeds must find."""

from collections.abc import Mapping
from dataclasses import dataclass

from doc_priority import querysets, rules
from doc_priority.counters import once, postgresql, rows, sqlite
from doc_priority.services import (
    bulk,
    checking,
    correcting,
    customers,
    policies,
    pruning,
    transactions,
)
from doc_priority.types import FLOOR
from tests.proof.simulation.planting import Plant, in_body, in_function, in_statement


@dataclass(frozen=True)
class Bug:
    """What is wrong, and how that is written on each database."""

    title: str
    plants: Mapping[str, Plant]


def of_statements(title: str, *, on_sqlite: Plant, on_postgresql: Plant) -> Bug:
    return Bug(title, {"sqlite": on_sqlite, "postgresql": on_postgresql})


def of_services(title: str, plant: Plant) -> Bug:
    return Bug(title, {"sqlite": plant, "postgresql": plant})


COUNTING = (
    of_statements(
        "exactly the interval is over already",
        on_sqlite=in_statement(sqlite, "CHECK", "- updated_at > t.", "- updated_at >= t."),
        on_postgresql=in_body("- k.updated_at > v_interval", "- k.updated_at >= v_interval"),
    ),
    of_statements(
        "the check that begins anew counts down as well",
        on_sqlite=in_statement(sqlite, "CHECK", "THEN 0\n", "THEN -1\n"),
        on_postgresql=in_body("r_pending_documents := 0;", "r_pending_documents := -1;"),
    ),
    of_statements(
        "a tenth of the interval is a microsecond too long",
        on_sqlite=in_statement(sqlite, "CHECK", ") / t.tenth", ") / (t.tenth + 1)"),
        on_postgresql=in_body(") / v_tenth;", ") / (v_tenth + 1);"),
    ),
    of_statements(
        "halving does not move the last recovery on",
        on_sqlite=in_statement(sqlite, "CHECK", "END * t.tenth END", "END * 0 END"),
        on_postgresql=in_body("v_recovered_at + v_halvings * v_tenth;", "v_recovered_at;"),
    ),
    of_statements(
        "the window looks at the last update alone",
        on_sqlite=in_statement(sqlite, "CHECK", "= 'window' AND", "= 'never' AND"),
        on_postgresql=in_body("= 'window' AND", "= 'never' AND"),
    ),
    of_statements(
        "a threshold is one off",
        on_sqlite=in_function(rules.priority_of, "pending_documents)", "pending_documents - 1)"),
        on_postgresql=in_body("(r_pending_documents < t[8])", "(r_pending_documents <= t[8])"),
    ),
    of_statements(
        "a pin ends a microsecond late",
        on_sqlite=in_function(rows.verdict_on, "now < row.pinned", "now <= row.pinned"),
        on_postgresql=in_body("v_now < k.pinned_until", "v_now <= k.pinned_until"),
    ),
    of_statements(
        "a named document is not remembered",
        on_sqlite=in_function(once.check_once, "verdict is not None", "verdict is None"),
        on_postgresql=in_body("'' THEN\n        INSERT INTO", "' ' AND false THEN\n INSERT INTO"),
    ),
    of_statements(
        "a counter's clock goes back",
        on_sqlite=in_statement(sqlite, "CHECK", "MAX(updated_at, t.clock)", "t.clock"),
        on_postgresql=in_body("IF k.updated_at > v_now THEN", "IF false THEN"),
    ),
    of_statements(
        "the floor is one document too high",
        on_sqlite=in_statement(sqlite, "CHECK", str(FLOOR), str(FLOOR + 1)),
        on_postgresql=in_body(str(FLOOR), str(FLOOR + 1)),
    ),
    of_statements(
        "exactly the interval is over already, for many",
        on_sqlite=in_function(
            rules._is_over, "now - state.updated_at >", "now - state.updated_at >="
        ),
        on_postgresql=in_statement(
            postgresql, "COUNT_MANY", "n.now - k.updated_at >", "n.now - k.updated_at >="
        ),
    ),
    of_statements(
        "halving is left out of when the counter is back at 0",
        on_sqlite=in_function(rules.resets_at, "return min(idle_end,", "return max(idle_end,"),
        on_postgresql=in_body("LEAST(v_now + v_interval,", "GREATEST(v_now + v_interval,"),
    ),
)

CORRECTING = (
    of_services(
        "a peek counts",
        in_function(
            checking.peek,
            "standing = selectors",
            "check(customer, at=at)\n    standing = selectors",
        ),
    ),
    of_services(
        "a reset is no update",
        in_function(
            rules.reset, "(0, now, now)", "(0, state.updated_at or now, state.recovered_at or now)"
        ),
    ),
    of_services(
        "a reset drops microseconds",
        in_function(correcting._reset, "row.now)", "row.now // 1_000_000 * 1_000_000)"),
    ),
    of_services("a reset takes the pin off", in_function(correcting._reset, "row.pin)", "None)")),
    of_services(
        "an event says what came after where it should say what was before",
        in_function(correcting._event, "correction.before", "correction.after"),
    ),
    of_services(
        "many documents count again when they were decided before",
        in_function(bulk._decide_pairs, "if (key, document) not in decided", "if document"),
    ),
    of_services(
        "a document repeated within a call counts again",
        in_function(bulk._next, "decided[pair] = replace", "replace"),
    ),
    of_services(
        "a customer is made though none may be",
        in_function(transactions.perform, "counting.create_customers", "True"),
    ),
    of_services(
        "a customer who must exist is made",
        in_function(checking._counted, "if must_exist", "if False"),
    ),
)

KEEPING = (
    of_services(
        "another policy is told, but not given",
        in_function(customers._set_policy, ".update(policy=policy)", ".exists()"),
    ),
    of_services(
        "a policy that is changed keeps its recovery",
        in_function(policies._write, "= terms.recovery.value", "= policy.recovery"),
    ),
    of_services(
        "who is forgotten leaves counter and decisions behind",
        in_function(
            customers._forget,
            ".get(key=key).delete()",
            ".filter(key=key)._raw_delete(unit.alias)",
        ),
    ),
    of_services(
        "who is forgotten leaves events behind",
        in_function(
            customers._forget, ".filter(customer=key).delete()", ".filter(customer=key).count(), 0"
        ),
    ),
    of_services(
        "pruning takes a day too much",
        in_function(pruning._cutoff, "days * DAY", "(days - 1) * DAY"),
    ),
    of_services(
        "the live list takes exactly the interval for over",
        in_function(querysets._over, "live_idle__gt", "live_idle__gte"),
    ),
    of_services(
        "the live list halves from the last update on",
        in_function(querysets._halvings, "live_window", "live_idle"),
    ),
    of_services(
        "the live list ends pins a microsecond late",
        in_function(
            querysets.CustomerQuerySet.live,
            "counter__pinned_until__gt",
            "counter__pinned_until__gte",
        ),
    ),
)

BUGS = {bug.title: bug for bug in (*COUNTING, *CORRECTING, *KEEPING)}
