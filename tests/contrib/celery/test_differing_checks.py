"""What the system checks say about apps that share a broker and differ."""

from typing import Any

import pytest
from django.test import override_settings

from doc_priority.contrib.celery.checks import check_configuration
from tests.contrib.celery.checked import (
    RABBITMQ,
    REDIS,
    TEN,
    MakeApp,
    only,
)


def test_e027_another_app_at_the_same_broker(make_app: MakeApp) -> None:
    make_app(REDIS)
    make_app(RABBITMQ, prioritized=False)
    assert check_configuration() == []
    make_app(REDIS, prioritized=False, task_queue_max_priority=5)
    message = only(check_configuration(), "E027")
    assert "priority_steps [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]" in message.msg
    assert "the app checked2 has [0, 3, 6, 9]" in message.msg


def test_e027_another_app_that_declares_the_queue_otherwise(make_app: MakeApp) -> None:
    make_app(RABBITMQ, broker_transport_options={"priority_steps": [0, 9]})
    make_app(RABBITMQ, prioritized=False, task_queue_max_priority=10)
    assert check_configuration() == []
    make_app(RABBITMQ, prioritized=False)
    message = only(check_configuration(), "E027")
    assert "the maximum priority of 'celery' 10 and the app checked2 has None" in message.msg


@pytest.mark.parametrize("url", [REDIS, RABBITMQ])
def test_another_app_with_queues_of_its_own(make_app: MakeApp, url: str) -> None:
    make_app(url, task_default_queue="documents")
    mailer = make_app(url, prioritized=False, task_default_queue="mail")
    mailer.finalize()
    assert check_configuration() == []


@pytest.mark.parametrize("url", [REDIS, RABBITMQ])
def test_e027_another_app_with_a_task_in_the_queue(make_app: MakeApp, url: str) -> None:
    make_app(url, task_default_queue="documents")
    mailer = make_app(url, prioritized=False, task_default_queue="mail")
    mailer.tasks["portal.process"].queue = "documents"
    assert "the app checked1 has" in only(check_configuration(), "E027").msg


@pytest.mark.parametrize(
    ("url", "name", "value", "shown"),
    [
        (REDIS, "CELERY_BROKER_TRANSPORT_OPTIONS", {"priority_steps": [0, 9]}, "has [0, 9]"),
        (REDIS, "CELERY_BROKER_TRANSPORT_OPTIONS", {"sep": ":"}, "has ':'"),
        (REDIS, "CELERY_TASK_QUEUE_MAX_PRIORITY", 4, ""),
        (RABBITMQ, "CELERY_TASK_QUEUE_MAX_PRIORITY", 4, "has 4"),
        (RABBITMQ, "CELERY_TASK_QUEUE_MAX_PRIORITY", 10, ""),
        (RABBITMQ, "CELERY_BROKER_TRANSPORT_OPTIONS", {"sep": ":"}, ""),
    ],
)
def test_e027_djangos_settings(
    make_app: MakeApp, url: str, name: str, value: Any, shown: str
) -> None:
    make_app(url)
    with override_settings(**{name: value}):
        found = check_configuration()
    if shown:
        message = only(found, "E027")
        assert "Django's CELERY_ settings" in message.msg
        assert shown in message.msg
    else:
        assert found == []


@pytest.mark.parametrize("steps", [tuple(range(10)), TEN])
def test_the_same_steps_in_djangos_settings(make_app: MakeApp, steps: Any) -> None:
    make_app(REDIS)
    with override_settings(CELERY_BROKER_TRANSPORT_OPTIONS={"priority_steps": steps}):
        assert check_configuration() == []
