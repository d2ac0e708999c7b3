"""What each engine is given for a priority, and which tell since when the oldest document waits."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.apps import AppConfig, apps
from django.db import connection

from doc_priority import services
from doc_priority.contrib import waiting
from doc_priority.contrib.engines import Engine, engine_priorities, engine_priority
from doc_priority.exceptions import UnknownEngine
from doc_priority.testing import set_pending_documents
from doc_priority.types import Decision
from tests.factories import now

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]


@pytest.fixture
def decision() -> Decision:
    return services.check("acme")


def at(decision: Decision, priority: int, pending: int = -30, policy: str = "") -> Decision:
    return replace(decision, priority=priority, pending_documents=pending, policy=policy)


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
    with pytest.raises(UnknownEngine, match=r"'procastinate'.*'procrastinate'.*celery-redis, "):
        engine_priority(decision, "procastinate")


def test_within_9_those_come_later_who_sent_more(decision: Decision) -> None:
    counts = [-21, -42, -84, -168, -336, -672, -1344, -2688, -5376, -10752]
    with_depths = [Engine.DJANGO_TASKS, Engine.PROCRASTINATE]
    for engine in with_depths:
        deeper = [engine_priority(at(decision, 9, count), engine) for count in counts]
        last_of_8 = engine_priority(at(decision, 8, -20), engine)
        assert deeper == [deeper[0] - depth for depth in range(10)]
        assert last_of_8 > deeper[0]
        assert engine_priority(at(decision, 9, -1_000_000_000), engine) == deeper[-1]
        # A depth begins where the count has doubled.
        number = [engine_priority(at(decision, 9, count), engine) for count in (-41, -42, -83, -84)]
        assert number[0] - 1 == number[1] == number[2] == number[3] + 1
    # Where there is no room, all of 9 are one.
    for engine in set(Engine) - set(with_depths):
        assert len({engine_priority(at(decision, 9, count), engine) for count in counts}) == 1


def test_depths_of_policies(decision: Decision, django_assert_num_queries: Any) -> None:
    """They follow the customer's policy, with a query for each and none for the default one."""
    gold = {"reset_interval": 1500, "recovery": "idle", "thresholds": range(-92, -100, -1)}
    services.create_policy("gold", **gold)
    services.set_policy(services.create_customer("birch").key, policy="gold")
    set_pending_documents("birch", -200)
    live = services.peek("birch")
    with django_assert_num_queries(1):
        assert engine_priority(live, "django-tasks") == -41
    theirs = [at(decision, 9, -200 * place, "gold") for place in (1, 2, 4)]
    with django_assert_num_queries(1):
        found = engine_priorities([*theirs, at(decision, 1), at(decision, 9, -50)], "django-tasks")
    assert found == [-41, -42, -43, 40, -41]
    with django_assert_num_queries(0):
        engine_priority(at(decision, 9), "procrastinate")
    # One that is gone counts as the default one.
    services.create_policy("gone", **gold)
    under_it = at(decision, 9, -50, "gone")
    before = engine_priority(under_it, "django-tasks")
    services.delete_policy("gone")
    assert [before, engine_priority(under_it, "django-tasks")] == [-40, -41]


def test_pins() -> None:
    """One to 9 helps no flood, one to a better level is obeyed."""
    services.create_customer("acme")
    set_pending_documents("acme", -5000)
    before = engine_priority(services.peek("acme"), "django-tasks")
    services.pin("acme", priority=9, until=now() + timedelta(days=1))
    assert engine_priority(services.peek("acme"), "django-tasks") == before
    services.pin("acme", priority=2, until=now() + timedelta(days=1))
    assert engine_priority(services.peek("acme"), "django-tasks") == 30


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
