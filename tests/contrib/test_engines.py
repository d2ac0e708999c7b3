"""What each engine is given for a priority, and which tell since when the oldest document waits."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.apps import AppConfig, apps
from django.db import connection

from doc_priority.contrib import waiting
from doc_priority.contrib.engines import Engine, engine_priorities, engine_priority
from doc_priority.exceptions import UnknownEngine
from doc_priority.services import (
    check,
    create_customer,
    create_policy,
    delete_policy,
    peek,
    pin,
    set_policy,
)
from doc_priority.testing import set_pending_documents
from doc_priority.types import Decision
from tests.factories import now

WITH_DEPTHS = [Engine.DJANGO_TASKS, Engine.PROCRASTINATE]
COUNTS_OF_DEPTHS = [-21, -42, -84, -168, -336, -672, -1344, -2688, -5376, -10752]

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]


@pytest.fixture
def decision() -> Decision:
    return check("acme")


def at(decision: Decision, priority: int, pending: int = -30) -> Decision:
    return replace(decision, priority=priority, pending_documents=pending)


def create_gold() -> None:
    create_policy("gold", reset_interval=1500, recovery="idle", thresholds=range(-92, -100, -1))


def test_every_priority_has_its_number(decision: Decision) -> None:
    expected: dict[str, list[Any]] = {
        "celery-redis": [1, 2, 3, 4, 5, 6, 7, 8, 9],
        "celery-rabbitmq": [9, 8, 7, 6, 5, 4, 3, 2, 1],
        "django-tasks": [40, 30, 20, 10, 0, -10, -20, -30, -40],
        "procrastinate": [-1, -2, -3, -4, -5, -6, -7, -8, -9],
        "huey": [9, 8, 7, 6, 5, 4, 3, 2, 1],
        "dramatiq": [9, 8, 7, 6, 5, 4, 3, 2, 1],
        "rq": ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"],
    }
    assert set(expected) == set(Engine)
    for engine, numbers in expected.items():
        assert [engine_priority(at(decision, level), engine) for level in range(1, 10)] == numbers


@pytest.mark.parametrize("engine", WITH_DEPTHS)
def test_within_9_those_come_later_who_sent_more(decision: Decision, engine: str) -> None:
    deeper = [engine_priority(at(decision, 9, count), engine) for count in COUNTS_OF_DEPTHS]
    last_of_8 = engine_priority(at(decision, 8, -20), engine)
    assert deeper == [deeper[0] - depth for depth in range(10)]
    assert last_of_8 > deeper[0]
    assert engine_priority(at(decision, 9, -1_000_000_000), engine) == deeper[-1]
    # A depth begins where the count has doubled.
    number = [engine_priority(at(decision, 9, count), engine) for count in (-41, -42, -83, -84)]
    assert number[0] - 1 == number[1] == number[2] == number[3] + 1


def test_where_there_is_no_room_all_of_9_are_one(decision: Decision) -> None:
    for engine in set(Engine) - set(WITH_DEPTHS):
        numbers = {engine_priority(at(decision, 9, count), engine) for count in COUNTS_OF_DEPTHS}
        assert len(numbers) == 1


def test_depths_follow_the_thresholds_of_the_customers_policy(
    django_assert_num_queries: Any,
) -> None:
    create_gold()
    set_policy(create_customer("acme").key, policy="gold")
    set_pending_documents("acme", -200)
    decision = peek("acme")
    with django_assert_num_queries(1):
        assert engine_priority(decision, "django-tasks") == -41


def test_a_policy_that_is_gone_counts_as_the_default_one(decision: Decision) -> None:
    create_gold()
    under_gold = replace(at(decision, 9, -50), policy="gold")
    before = engine_priority(under_gold, "django-tasks")
    delete_policy("gold")
    assert [before, engine_priority(under_gold, "django-tasks")] == [-40, -41]


def test_many_decisions_take_a_query_for_each_policy(
    decision: Decision, django_assert_num_queries: Any
) -> None:
    """And none for the default one."""
    create_gold()
    theirs = [replace(at(decision, 9, -200 * place), policy="gold") for place in (1, 2, 4)]
    with django_assert_num_queries(1):
        found = engine_priorities([*theirs, at(decision, 1), at(decision, 9, -50)], "django-tasks")
    assert found == [-41, -42, -43, 40, -41]
    with django_assert_num_queries(0):
        engine_priority(at(decision, 9), "procrastinate")


def test_pins() -> None:
    """One to 9 helps no flood, one to a better level is obeyed."""
    create_customer("acme")
    set_pending_documents("acme", -5000)
    before = engine_priority(peek("acme"), "django-tasks")
    pin("acme", priority=9, until=now() + timedelta(days=1))
    assert engine_priority(peek("acme"), "django-tasks") == before
    pin("acme", priority=2, until=now() + timedelta(days=1))
    assert engine_priority(peek("acme"), "django-tasks") == 30


def test_an_engine_nobody_knows_is_refused_with_the_nearest_name(decision: Decision) -> None:
    with pytest.raises(UnknownEngine, match=r"'procastinate'.*'procrastinate'.*celery-redis, "):
        engine_priority(decision, "procastinate")


@pytest.mark.postgresql
def test_which_engines_tell_since_when_the_oldest_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those whose tables are installed."""
    adapters = [("tasks", "django-tasks", "django_tasks_db")]
    if connection.vendor == "postgresql":
        adapters += [("procrastinate", "procrastinate", "procrastinate.contrib.django")]
    assert set(waiting.engines) == {engine for _, engine, _ in adapters}
    for adapter, engine, tables in adapters:
        # Taken out and put back, an app would stand in another place.
        others = {label: one for label, one in apps.app_configs.items() if one.name != tables}
        for installed, expected in ((apps.app_configs, {engine}), (others, set())):
            with monkeypatch.context() as patch:
                patch.setattr(waiting, "engines", {})
                patch.setattr(apps, "app_configs", installed)
                AppConfig.create(f"doc_priority.contrib.{adapter}").ready()
                assert set(waiting.engines) == expected
