"""What the system checks say about the settings of a portal's Celery, a case for each id."""

import sys
from importlib import metadata
from types import SimpleNamespace
from typing import Any

import kombu.transport.redis
import pytest
from django.core.checks import run_checks
from django.test import override_settings
from kombu import Queue

from doc_priority.contrib.celery import prioritize
from doc_priority.contrib.celery.checks import check_broker
from tests.contrib.celery.conftest import MakeApp, Told, closing, process_document

REDIS = "redis://127.0.0.1:6379/15"
RABBITMQ = "amqp://guest:guest@127.0.0.1:5672//"
TEN = list(range(10))


def nothing() -> None:
    """Another task than a document's."""


def test_settings_and_what_is_said_of_them(told_of: Told) -> None:
    quorum = {"queue_arguments": {"x-queue-type": "quorum"}}
    declared = [Queue("docs", **quorum), Queue("mail")]
    ten = {"task_queue_max_priority": 10}
    with_three = Queue("celery", queue_arguments={"x-max-priority": 3})
    beat = {"task": "portal.process", "schedule": 60}
    late = {"late": {**beat, "options": {"countdown": 5}}}
    eta = {"late": {**beat, "options": {"eta": 5}}}
    routed = {"task_routes": {"portal.process": {"priority": 4}}}
    parted = {"broker_transport_options": {"sep": ":"}, "task_default_queue": "documents:urgent"}
    eleven = {"broker_transport_options": {"priority_steps": list(range(11))}}
    cases: list[tuple[str, dict[str, Any], str, str]] = [
        # Transports
        ("sqs://", {}, "E020", "transport 'sqs'"),
        ("sqs://", {}, "E020", "Use Redis"),
        ("", {"broker_url": [REDIS, "sqs://"]}, "E020", "transport 'sqs'"),
        ("", {"broker_url": f"{REDIS};sqs://"}, "E020", "transport 'sqs'"),
        ("", {"broker_url": [REDIS, RABBITMQ]}, "E020", "'redis' and of 'amqp', whose"),
        ("", {"broker_url": f"{REDIS};{RABBITMQ}"}, "E020", "have opposite directions"),
        ("", {"broker_write_url": REDIS, "broker_read_url": RABBITMQ}, "E020", "at every address"),
        ("", {"broker_write_url": REDIS, "broker_url": RABBITMQ}, "E020", "'redis' and of 'amqp'"),
        # Lists on Redis
        *(
            (REDIS, {"broker_transport_options": {"priority_steps": steps}}, "E021", repr(steps))
            for steps in ([0, 3, 6, 9], [], None, TEN[::-1])
        ),
        (REDIS, eleven, "E021", "others than 0 to 9 in this order"),
        (REDIS, parted, "E022", "sep ':', which the name of the queue 'documents:urgent' has in"),
        # Queues on RabbitMQ
        (RABBITMQ, {"task_queue_max_priority": 5}, "E023", "'celery' has the maximum priority 5"),
        (RABBITMQ, {"task_queues": [with_three]}, "E023", "'celery' has the maximum priority 3"),
        (RABBITMQ, {**ten, "task_default_queue_type": "quorum"}, "E024", "(celery)"),
        (RABBITMQ, {**ten, "task_create_missing_queue_type": "quorum"}, "E024", "(task_create_"),
        (RABBITMQ, {**ten, "task_queues": declared}, "E024", "(docs)"),
        (RABBITMQ, {**ten, "task_queues": {"docs": quorum}}, "E024", "(docs)"),
        # Prefetch
        (REDIS, {"worker_prefetch_multiplier": 4}, "W020", "worker_prefetch_multiplier is 4"),
        (REDIS, {"worker_prefetch_multiplier": 4}, "W020", "a worker takes 4 documents"),
        (REDIS, {"worker_prefetch_multiplier": 0}, "W020", "all documents there are"),
        (REDIS, {"task_acks_late": False}, "W021", "portal.process has acks_late False"),
        # Priorities that somebody else gives
        (REDIS, {"task_default_priority": 3}, "W022", "sets the default priority 3"),
        (REDIS, routed, "W022", "task_routes sets the priority 4 for portal.process"),
        (REDIS, {"task_inherit_parent_priority": True}, "W025", "parent_priority is on"),
        # Times
        (REDIS, {"beat_schedule": late}, "W023", "['late'] sends portal.process with countdown"),
        (REDIS, {"beat_schedule": eta}, "W023", "['late'] sends portal.process with eta"),
    ]
    for url, conf, number, said in cases:
        found = told_of(url, **conf)
        assert list(found) == [number], (url, conf)
        assert said in found[number]


def test_settings_that_nothing_is_said_of(told_of: Told) -> None:
    beat = {"task": "portal.other", "schedule": 60, "options": {"countdown": 5}}
    early = {"task_acks_late": False, "worker_prefetch_multiplier": 4}
    for url, conf in [
        (REDIS, {}),
        (RABBITMQ, {}),
        ("", {"broker_url": [REDIS, "rediss://other/0"]}),
        ("", {"broker_url": "sentinel://a;sentinel://b"}),
        ("", {"broker_url": []}),
        (REDIS, {"beat_schedule": {"other": beat, "at once": {"task": "portal.process"}}}),
        # Without prefetch neither matters.
        (REDIS, {**early, "worker_disable_prefetch": True}),
    ]:
        assert told_of(url, **conf) == {}, (url, conf)


@pytest.mark.parametrize("url", [REDIS, RABBITMQ])
def test_looking_declares_no_queue(make_app: MakeApp, told: Told, url: str) -> None:
    """A worker of Celery 5.6 without -Q reads every queue that the app has come to know."""
    app = make_app(url, task_routes={"portal.process": "documents", "portal.mail": "mail"})
    app.task(name="portal.mail", shared=False)(nothing)
    assert told() == {}
    assert list(app.amqp.queues) == ["celery"]


def test_manage_py_check_runs_them(make_app: MakeApp, told: Told) -> None:
    make_app("sqs://")
    assert [one.id for one in run_checks(tags=["doc_priority"])] == ["doc_priority.E020"]
    assert told(check_broker) == {}


def test_e050_doc_priority_is_not_installed(told_of: Told) -> None:
    with override_settings(INSTALLED_APPS=[]):
        assert "not in INSTALLED_APPS" in told_of(REDIS)["E050"]


@pytest.mark.parametrize("late", [None, False])
def test_w020_and_w021_in_djangos_settings(
    make_app: MakeApp, told: Told, late: bool | None
) -> None:
    for multiplier in (0, 1, 2):
        given = SimpleNamespace(
            CELERY_BROKER_URL=REDIS, CELERY_WORKER_PREFETCH_MULTIPLIER=multiplier
        )
        if late is not None:
            given.CELERY_TASK_ACKS_LATE = late
        with closing(make_app()) as app:
            app.config_from_object(given, namespace="CELERY")
            found = told()
        expected = {"W020": multiplier != 1, "W021": late is False}
        assert list(found) == [number for number, said in expected.items() if said]


def test_what_is_set_after_prioritize(make_app: MakeApp, told: Told) -> None:
    app = make_app(REDIS)
    assert app.conf.broker_transport_options
    app.conf.broker_transport_options = {"visibility_timeout": 60}
    found = told()
    assert list(found) == ["E021"]
    assert "broker_transport_options has no priority_steps" in found["E021"]
    assert "were set after prioritize()" in found["E021"]


def test_w021_a_task_that_was_used_before_prioritize(make_app: MakeApp, told: Told) -> None:
    app = make_app(REDIS, prioritized=False)
    app.task(name="portal.process", shared=False)(process_document)
    app.finalize()
    prioritize(app, "portal.process", customer="customer")
    found = told()
    assert list(found) == ["W021"]
    assert "portal.process has acks_late False" in found["W021"]
    assert "before the task is used for the first time" in found["W021"]


def test_w022_a_priority_of_the_task(make_app: MakeApp, told: Told) -> None:
    make_app(REDIS).tasks["portal.process"].priority = 4
    assert "portal.process sets the default priority 4" in told()["W022"]


def test_e025_redis_that_cannot_be_used(told_of: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    transport = "kombu.transport.redis"
    for missing, said in [
        ([transport], transport),
        (["packaging.version"], "packaging.version"),
        # Packaging comes with redis and is imported first.
        (["redis", "packaging.version"], "the package redis is not installed"),
    ]:
        with monkeypatch.context() as patch:
            patch.delitem(sys.modules, transport, raising=False)
            for name in missing:
                patch.setitem(sys.modules, name, None)
            found = told_of(REDIS)
        assert list(found) == ["E025"]
        assert said in found["E025"]
        assert "celery[redis]" in found["E025"]
    monkeypatch.setattr(kombu.transport.redis, "redis", None)
    assert "the package redis cannot be imported" in told_of(REDIS)["E025"]


def test_w018_another_redis_than_celery_names(
    told_of: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "4.0.0")
    found = told_of(REDIS)
    assert list(found) == ["W018"]
    assert "redis 4.0.0 is installed, and kombu" in found["W018"]
    assert "celery[redis]" in found["W018"]
    monkeypatch.setattr(metadata, "requires", lambda name: None)
    assert told_of(REDIS) == {}


@pytest.mark.parametrize("url", [REDIS, RABBITMQ])
def test_e019_a_queue_that_is_not_declared(make_app: MakeApp, told: Told, url: str) -> None:
    app = make_app(
        url,
        task_create_missing_queues=False,
        task_routes={"portal.process": {"queue": "documents"}, "mail": {"queue": "mail"}},
        task_queues=[Queue("celery", max_priority=10)],
    )
    app.task(name="mail", shared=False)(nothing)
    said = "portal.process is routed to a queue that task_queues does not have"
    assert said in told()["E019"]
    prioritize(app, "portal.other", customer="customer")
    assert list(told()) == ["E019"]


def test_w024_a_queue_that_other_tasks_share(make_app: MakeApp, told: Told) -> None:
    app = make_app(REDIS)
    app.task(name="portal.mail", shared=False)(nothing)
    assert "'celery' also gets portal.mail." in told()["W024"]
    app.tasks["portal.mail"].queue = "mail"
    assert told() == {}
    for number in range(20):
        app.task(name=f"portal.send_{number:02}", shared=False)(nothing)
    assert "portal.send_04 and 15 more. Without a priority" in told()["W024"]


def test_a_queue_of_their_own(make_app: MakeApp, told: Told) -> None:
    """A separator in the name of another queue does no harm to it."""
    for conf in (
        {"task_routes": {"portal.process": {"queue": "documents"}}},
        {
            "broker_transport_options": {"sep": ":"},
            "task_routes": {"portal.process": "documents", "portal.mail": "mail:all"},
        },
    ):
        make_app(REDIS, **conf).task(name="portal.mail", shared=False)(nothing)
        assert told() == {}


def test_e027_another_app_at_the_same_broker(make_app: MakeApp, told: Told) -> None:
    make_app(REDIS)
    make_app(RABBITMQ, prioritized=False)
    assert told() == {}
    make_app(REDIS, prioritized=False, task_queue_max_priority=5)
    message = told()["E027"]
    assert "priority_steps [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]" in message
    assert "the app app2 has [0, 3, 6, 9]" in message


def test_e027_another_app_that_declares_the_queue_otherwise(make_app: MakeApp, told: Told) -> None:
    make_app(RABBITMQ, broker_transport_options={"priority_steps": [0, 9]})
    make_app(RABBITMQ, prioritized=False, task_queue_max_priority=10)
    assert told() == {}
    make_app(RABBITMQ, prioritized=False)
    message = told()["E027"]
    assert "the maximum priority of 'celery' 10 and the app app2 has None" in message


@pytest.mark.parametrize("url", [REDIS, RABBITMQ])
def test_e027_another_app_with_a_task_in_the_queue(make_app: MakeApp, told: Told, url: str) -> None:
    make_app(url, task_default_queue="documents")
    mailer = make_app(url, prioritized=False, task_default_queue="mail")
    mailer.task(name="portal.process", shared=False)(nothing)
    mailer.finalize()
    assert told() == {}
    mailer.tasks["portal.process"].queue = "documents"
    assert "the app app1 has" in told()["E027"]


def test_e027_djangos_settings(told_of: Told) -> None:
    options, highest = "CELERY_BROKER_TRANSPORT_OPTIONS", "CELERY_TASK_QUEUE_MAX_PRIORITY"
    for url, name, value, said in [
        (REDIS, options, {"priority_steps": [0, 9]}, "has [0, 9]"),
        (REDIS, options, {"priority_steps": TEN}, ""),
        (REDIS, options, {"priority_steps": tuple(TEN)}, ""),
        (REDIS, options, {"sep": ":"}, "has ':'"),
        (REDIS, highest, 4, ""),
        (RABBITMQ, highest, 4, "has 4"),
        (RABBITMQ, highest, 10, ""),
        (RABBITMQ, options, {"sep": ":"}, ""),
    ]:
        with override_settings(**{name: value}):
            found = told_of(url)
        assert list(found) == (["E027"] if said else []), (url, name, value)
        assert not said or f"Django's CELERY_ settings {said}" in found["E027"]
