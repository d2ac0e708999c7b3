"""What the system checks say about documents that a worker fetches too early."""

from types import SimpleNamespace

import pytest

from doc_priority.contrib.celery import prioritize
from doc_priority.contrib.celery.checks import check_configuration
from tests.contrib.celery.checked import (
    REDIS,
    MakeApp,
    only,
)


@pytest.mark.parametrize("late", [None, False])
@pytest.mark.parametrize("multiplier", [0, 1, 2, 8])
def test_w020_and_w021_in_djangos_settings(
    make_app: MakeApp, multiplier: int, late: bool | None
) -> None:
    app = make_app("")
    given = SimpleNamespace(CELERY_BROKER_URL=REDIS, CELERY_WORKER_PREFETCH_MULTIPLIER=multiplier)
    if late is not None:
        given.CELERY_TASK_ACKS_LATE = late
    app.config_from_object(given, namespace="CELERY")
    expected = {"W020": multiplier != 1, "W021": late is False}
    assert [one.id for one in check_configuration()] == [
        f"doc_priority.{number}" for number, said in expected.items() if said
    ]


@pytest.mark.parametrize(("multiplier", "shown"), [(4, "4 documents"), (0, "all documents")])
def test_w020_prefetch(make_app: MakeApp, multiplier: int, shown: str) -> None:
    make_app(REDIS, worker_prefetch_multiplier=multiplier)
    message = only(check_configuration(), "W020")
    assert f"worker_prefetch_multiplier is {multiplier}" in message.msg
    assert shown in message.msg


def test_w021_early_acknowledgement(make_app: MakeApp) -> None:
    make_app(REDIS, task_acks_late=False)
    assert "portal.process has acks_late False" in only(check_configuration(), "W021").msg


def test_w021_a_task_that_was_used_before_prioritize(make_app: MakeApp) -> None:
    app = make_app(REDIS, prioritized=False)
    app.finalize()
    prioritize(app, "portal.process", customer="customer", document="document")
    message = only(check_configuration(), "W021")
    assert "portal.process has acks_late False" in message.msg
    assert "before the task is used for the first time" in str(message.hint)


def test_without_prefetch_neither_matters(make_app: MakeApp) -> None:
    make_app(
        REDIS, task_acks_late=False, worker_prefetch_multiplier=4, worker_disable_prefetch=True
    )
    assert check_configuration() == []
