"""What the system checks say about queues that documents are sent to."""

from typing import Any

import pytest
from kombu import Queue

from doc_priority.contrib.celery import prioritize
from doc_priority.contrib.celery.checks import check_configuration
from tests.contrib.celery.checked import (
    RABBITMQ,
    REDIS,
    MakeApp,
    nothing,
    only,
)

QUORUM = {"x-queue-type": "quorum"}


@pytest.mark.parametrize("url", [REDIS, RABBITMQ])
def test_e019_a_queue_that_is_not_declared(make_app: MakeApp, url: str) -> None:
    app = make_app(
        url,
        task_create_missing_queues=False,
        task_routes={"portal.process": {"queue": "documents"}, "mail": {"queue": "mail"}},
        task_queues=[Queue("celery", max_priority=10)],
    )
    app.task(name="mail", shared=False)(nothing)
    message = only(check_configuration(), "E019")
    assert "portal.process is routed to a queue that task_queues does not have" in message.msg
    prioritize(app, "portal.other", customer="customer")
    only(check_configuration(), "E019")


@pytest.mark.parametrize(
    ("conf", "shown"),
    [
        ({"task_queue_max_priority": 5}, "maximum priority 5"),
        (
            {"task_queues": [Queue("celery", queue_arguments={"x-max-priority": 3})]},
            "maximum priority 3",
        ),
    ],
)
def test_e023_maximum(make_app: MakeApp, conf: dict[str, Any], shown: str) -> None:
    make_app(RABBITMQ, **conf)
    message = only(check_configuration(), "E023")
    assert "'celery'" in message.msg
    assert shown in message.msg


@pytest.mark.parametrize(
    ("declared", "named"),
    [
        ({"task_default_queue_type": "quorum"}, "celery"),
        ({"task_create_missing_queue_type": "quorum"}, "task_create_missing_queue_type"),
        ({"task_queues": [Queue("docs", queue_arguments=QUORUM), Queue("mail")]}, "(docs)"),
        ({"task_queues": {"docs": {"queue_arguments": QUORUM}}}, "(docs)"),
    ],
)
def test_e024_a_quorum_queue_with_a_maximum(
    make_app: MakeApp, declared: dict[str, Any], named: str
) -> None:
    make_app(RABBITMQ, task_queue_max_priority=10, **declared)
    assert named in only(check_configuration(), "E024").msg


def test_w024_a_queue_that_other_tasks_share(make_app: MakeApp) -> None:
    app = make_app(REDIS)
    app.task(name="portal.mail", shared=False)(nothing)
    message = only(check_configuration(), "W024")
    assert "'celery' also gets portal.mail." in message.msg


def test_w024_names_some_of_many_tasks(make_app: MakeApp) -> None:
    app = make_app(REDIS)
    for number in range(20):
        app.task(name=f"portal.mail.send_{number:02}", shared=False)(nothing)
    message = only(check_configuration(), "W024")
    assert "portal.mail.send_04 and 15 more. Without a priority" in message.msg


def test_a_queue_of_their_own(make_app: MakeApp) -> None:
    app = make_app(REDIS, task_routes={"portal.process": {"queue": "documents"}})
    app.task(name="portal.mail", shared=False)(nothing)
    assert check_configuration() == []


def test_a_task_may_name_its_queue(make_app: MakeApp) -> None:
    app = make_app(REDIS)
    app.task(name="portal.mail", shared=False)(nothing)
    app.tasks["portal.mail"].queue = "mail"
    assert check_configuration() == []
