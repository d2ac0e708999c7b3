"""What each engine is given for a priority."""

from dataclasses import replace
from datetime import timedelta

import pytest

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

LEVELS = range(1, 10)
HIGHER_FIRST = [engine for engine in Engine if engine not in {Engine.CELERY_REDIS, Engine.RQ}]
WITH_DEPTHS = [Engine.DJANGO_TASKS, Engine.PROCRASTINATE]
WITHOUT_DEPTHS = [engine for engine in Engine if engine not in WITH_DEPTHS]
COUNTS_OF_DEPTHS = [-21, -42, -84, -168, -336, -672, -1344, -2688, -5376, -10752]

pytestmark = pytest.mark.django_db


@pytest.fixture
def decision() -> Decision:
    return check("acme")


def at(decision: Decision, priority: int, pending: int = -30) -> Decision:
    return replace(decision, priority=priority, pending_documents=pending)


@pytest.mark.parametrize(
    ("engine", "numbers"),
    [
        ("celery-redis", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("celery-rabbitmq", [9, 8, 7, 6, 5, 4, 3, 2, 1]),
        ("django-tasks", [40, 30, 20, 10, 0, -10, -20, -30, -40]),
        ("procrastinate", [-1, -2, -3, -4, -5, -6, -7, -8, -9]),
        ("huey", [9, 8, 7, 6, 5, 4, 3, 2, 1]),
        ("dramatiq", [9, 8, 7, 6, 5, 4, 3, 2, 1]),
        ("rq", ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"]),
    ],
)
def test_every_priority_has_its_number(decision, engine, numbers):
    assert [engine_priority(at(decision, level), engine) for level in LEVELS] == numbers


@pytest.mark.parametrize("engine", HIGHER_FIRST)
def test_the_best_priority_is_the_highest_number(decision, engine):
    numbers = [engine_priority(at(decision, level), engine) for level in LEVELS]
    assert sorted(numbers, reverse=True) == numbers
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("engine", WITH_DEPTHS)
def test_within_9_those_come_later_who_sent_more(decision, engine):
    deeper = [engine_priority(at(decision, 9, count), engine) for count in COUNTS_OF_DEPTHS]
    last_of_8 = engine_priority(at(decision, 8, -20), engine)
    assert deeper == [deeper[0] - depth for depth in range(10)]
    assert last_of_8 > deeper[0]


@pytest.mark.parametrize("engine", WITH_DEPTHS)
def test_a_depth_begins_where_the_count_has_doubled(decision, engine):
    number = [engine_priority(at(decision, 9, count), engine) for count in (-41, -42, -83, -84)]
    assert number[0] - 1 == number[1] == number[2] == number[3] + 1


@pytest.mark.parametrize("engine", WITH_DEPTHS)
def test_the_deepest_is_the_last(decision, engine):
    deepest = engine_priority(at(decision, 9, COUNTS_OF_DEPTHS[-1]), engine)
    assert engine_priority(at(decision, 9, -1_000_000_000), engine) == deepest


@pytest.mark.parametrize("engine", WITHOUT_DEPTHS)
def test_where_there_is_no_room_all_of_9_are_one(decision, engine):
    numbers = {engine_priority(at(decision, 9, count), engine) for count in COUNTS_OF_DEPTHS}
    assert len(numbers) == 1


def test_depths_follow_the_thresholds_of_the_customers_policy(django_assert_num_queries):
    create_policy("gold", reset_interval=1500, recovery="idle", thresholds=range(-92, -100, -1))
    set_policy(create_customer("acme").key, policy="gold")
    set_pending_documents("acme", -200)
    decision = peek("acme")
    with django_assert_num_queries(1):
        assert engine_priority(decision, "django-tasks") == -41


def test_a_policy_that_is_gone_counts_as_the_default_one(decision):
    create_policy("gold", reset_interval=1500, recovery="idle", thresholds=range(-92, -100, -1))
    under_gold = replace(at(decision, 9, -50), policy="gold")
    before = engine_priority(under_gold, "django-tasks")
    delete_policy("gold")
    assert [before, engine_priority(under_gold, "django-tasks")] == [-40, -41]


def test_the_default_policy_takes_no_query(decision, django_assert_num_queries):
    with django_assert_num_queries(0):
        engine_priority(at(decision, 9), "procrastinate")


def test_many_decisions_take_a_query_for_each_policy(decision, django_assert_num_queries):
    create_policy("gold", reset_interval=1500, recovery="idle", thresholds=range(-92, -100, -1))
    theirs = [replace(at(decision, 9, -200 * place), policy="gold") for place in (1, 2, 4)]
    with django_assert_num_queries(1):
        found = engine_priorities([*theirs, at(decision, 1), at(decision, 9, -50)], "django-tasks")
    assert found == [-41, -42, -43, 40, -41]


def test_a_pin_to_9_helps_no_flood():
    create_customer("acme")
    set_pending_documents("acme", -5000)
    before = engine_priority(peek("acme"), "django-tasks")
    pin("acme", priority=9, until=now() + timedelta(days=1))
    assert engine_priority(peek("acme"), "django-tasks") == before


def test_a_pin_to_a_better_level_is_obeyed():
    create_customer("acme")
    set_pending_documents("acme", -5000)
    pin("acme", priority=2, until=now() + timedelta(days=1))
    assert engine_priority(peek("acme"), "django-tasks") == 30


def test_an_engine_nobody_knows_is_refused_with_the_nearest_name(decision):
    with pytest.raises(UnknownEngine, match=r"'procastinate'.*'procrastinate'.*celery-redis, "):
        engine_priority(decision, "procastinate")
