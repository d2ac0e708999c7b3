"""What listeners are told, and when."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from doc_priority import services, signals
from doc_priority.models import Event
from doc_priority.testing import frozen_time
from tests.vectors import START

pytestmark = [
    pytest.mark.sqlite,
    pytest.mark.django_db(transaction=True, available_apps=["doc_priority"]),
]


@pytest.fixture
def heard() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """All that was sent, in order."""
    told: list[tuple[str, dict[str, Any]]] = []
    receivers = {}
    for name in signals.__all__:

        def receive(name=name, **values) -> None:
            told.append((name, values))

        receivers[name] = receive
        getattr(signals, name).connect(receive)
    yield told
    for name, receive in receivers.items():
        getattr(signals, name).disconnect(receive)


def moves(told) -> list[tuple[str, int, int]]:
    return [
        (values["customer"], values["before"], values["after"])
        for name, values in told
        if name == "priority_changed"
    ]


def test_checks_tell_of_a_move_only_and_once_for_each_customer(heard) -> None:
    for _ in range(6):
        services.check("acme")
    assert moves(heard) == [("acme", 1, 2), ("acme", 2, 3)]
    heard.clear()
    services.check_many(["a"] * 6 + ["b"] * 2 + ["c"] * 4)
    services.check_many(["a", ("b", "D-1"), ("b", "D-1")])
    assert moves(heard) == [("a", 1, 3), ("c", 1, 2)]


def test_corrections_tell_of_their_event(heard) -> None:
    now = services.check_many(["acme"] * 15)[-1].decided_at
    heard.clear()
    services.reset("acme")
    services.pin("acme", priority=4, until=now + timedelta(hours=1))
    services.unpin("acme")
    services.unpin("acme")
    services.forget("acme")
    names = [name for name, _ in heard if name != "priority_changed"]
    assert names == ["customer_reset", "customer_pinned", "customer_unpinned", "customer_forgotten"]
    assert moves(heard) == [("acme", 7, 1), ("acme", 1, 4), ("acme", 4, 1)]
    assert heard[-1][1]["event"] == Event.objects.get().pk


def test_a_pinned_customer_does_not_move_and_nothing_tells_of_the_end_of_a_pin(heard) -> None:
    with frozen_time(START) as clock:
        services.check("acme")
        services.pin("acme", priority=5, until=START + timedelta(hours=1))
        services.check_many(["acme"] * 30)
        services.check("acme")
        assert moves(heard) == [("acme", 1, 5)]
        heard.clear()
        clock.move_to(START + timedelta(hours=1))
        services.unpin("acme")
    assert heard == []


def test_policies_tell_too(heard) -> None:
    services.create_policy("p", reset_interval=60, recovery="idle", thresholds=range(0, -8, -1))
    services.check_many(["acme"] * 2)
    services.set_policy("acme", policy="p")
    services.change_policy("p", reset_interval=70)
    services.change_policy("p", reset_interval=70)
    services.set_policy("acme", policy=None)
    services.change_customer("acme", policy="p")
    services.change_customer("acme", name="Acme", policy="")
    services.change_customer("acme", name="Acme & Sons", policy="")
    services.delete_policy("p")
    told = [(values["customer"], values["policy"]) for name, values in heard if "policy" in values]
    moved = [("acme", "p"), ("acme", "")]
    assert told == [("", "p"), moved[0], ("", "p"), moved[1], *moved, ("", "p")]
    assert moves(heard) == [("acme", 1, 2), ("acme", 2, 1)] * 2


def test_nothing_is_told_before_the_commit_or_after_a_rollback(heard) -> None:
    with transaction.atomic():
        services.check_many(["acme"] * 4)
        transaction.set_rollback(True)
    with transaction.atomic():
        services.check_many(["acme"] * 4)
        assert heard == []
    assert moves(heard) == [("acme", 1, 2)]


def test_who_commits_by_hand_is_told_at_once(heard, caplog) -> None:
    """Nobody says when such a portal commits."""
    transaction.set_autocommit(False)
    try:
        with caplog.at_level("INFO", "doc_priority"):
            for _ in range(4):
                services.check("acme")
            services.reset("acme")
            with transaction.atomic():
                services.set_policy("acme", policy=None)
                services.check_many(["acme"] * 3)
            assert moves(heard) == [("acme", 1, 2), ("acme", 2, 1), ("acme", 1, 2)]
            assert "reset of acme" in caplog.messages
        transaction.commit()
    finally:
        transaction.rollback()
        transaction.set_autocommit(True)
    assert services.peek("acme").pending_documents == -3
    assert len(moves(heard)) == 3


def test_a_receiver_that_fails_does_not_undo_the_check(heard, caplog) -> None:
    def fail(**_):
        raise RuntimeError("receiver")

    signals.priority_changed.connect(fail)
    try:
        decisions = services.check_many(["acme"] * 4)
    finally:
        signals.priority_changed.disconnect(fail)
    assert decisions[-1].priority == 2
    assert "receiver" in caplog.text
