"""What the system checks say about the configuration of a portal's Celery; one test per id."""

import sys
from importlib import metadata
from typing import Any

import kombu.transport.redis
import pytest
from django.core.checks import run_checks
from django.test import override_settings

from doc_priority.contrib.celery import prioritize
from doc_priority.contrib.celery.checks import check_broker, check_configuration
from tests.contrib.celery.checked import (
    RABBITMQ,
    REDIS,
    TEN,
    MakeApp,
    of_anything,
    of_customer,
    of_upload,
    only,
)


@pytest.mark.parametrize("url", [REDIS, RABBITMQ])
def test_nothing_is_said_when_all_is_well(make_app: MakeApp, url: str) -> None:
    make_app(url)
    assert check_configuration() == []


@pytest.mark.parametrize("url", [REDIS, RABBITMQ])
def test_looking_declares_no_queue(make_app: MakeApp, url: str) -> None:
    """A worker of Celery 5.6 without -Q reads every queue that the app has come to know."""
    app = make_app(url, task_routes={"portal.process": "documents", "portal.mail": "mail"})
    app.task(name="portal.mail", shared=False)(of_anything)
    assert check_configuration() == []
    assert list(app.amqp.queues) == ["celery"]


def test_manage_py_check_runs_them(make_app: MakeApp) -> None:
    make_app("sqs://")
    assert [one.id for one in run_checks(tags=["doc_priority"])] == ["doc_priority.E020"]


def test_e020_a_transport_without_priorities(make_app: MakeApp) -> None:
    make_app("sqs://")
    message = only(check_configuration(), "E020")
    assert "transport 'sqs'" in message.msg
    assert "Use Redis" in str(message.hint)
    assert check_broker() == []


REDIS_AND_RABBITMQ = [
    {"broker_url": [REDIS, RABBITMQ]},
    {"broker_url": f"{REDIS};{RABBITMQ}"},
    {"broker_write_url": REDIS, "broker_read_url": RABBITMQ},
    {"broker_write_url": REDIS, "broker_url": RABBITMQ},
]


@pytest.mark.parametrize("conf", REDIS_AND_RABBITMQ)
def test_e020_addresses_of_two_kinds(make_app: MakeApp, conf: dict[str, Any]) -> None:
    make_app("", **conf)
    message = only(check_configuration(), "E020")
    assert "'redis' and of 'amqp', whose priorities have opposite directions." in message.msg
    assert "the same of them at every address" in str(message.hint)


@pytest.mark.parametrize("urls", [[REDIS, "sqs://"], f"{REDIS};sqs://"])
def test_e020_a_second_address_without_priorities(make_app: MakeApp, urls: Any) -> None:
    make_app("", broker_url=urls)
    assert "transport 'sqs'" in only(check_configuration(), "E020").msg


@pytest.mark.parametrize("urls", [[REDIS, "rediss://other/0"], "sentinel://a;sentinel://b", []])
def test_addresses_of_one_kind(make_app: MakeApp, urls: Any) -> None:
    make_app("", broker_url=urls)
    assert check_configuration() == []


def test_e050_doc_priority_is_not_installed(make_app: MakeApp) -> None:
    make_app(REDIS)
    with override_settings(INSTALLED_APPS=[]):
        message = only(check_configuration(), "E050")
    assert "not in INSTALLED_APPS" in message.msg


@pytest.mark.parametrize("steps", [[0, 3, 6, 9], [], None, TEN[::-1], list(range(11))])
def test_e021_steps(make_app: MakeApp, steps: Any) -> None:
    make_app(REDIS, broker_transport_options={"priority_steps": steps})
    message = only(check_configuration(), "E021").msg
    assert repr(steps) in message
    assert "others than 0 to 9 in this order" in message


def test_e021_options_that_were_set_after_prioritize(make_app: MakeApp) -> None:
    app = make_app(REDIS)
    assert app.conf.broker_transport_options
    app.conf.broker_transport_options = {"visibility_timeout": 60}
    message = only(check_configuration(), "E021")
    assert "broker_transport_options has no priority_steps" in message.msg
    assert "were set after prioritize()" in str(message.hint)


@pytest.mark.parametrize("queue", ["documents:urgent", "a:b:c"])
def test_e022_a_separator_in_the_name_of_a_documents_queue(make_app: MakeApp, queue: str) -> None:
    make_app(REDIS, broker_transport_options={"sep": ":"}, task_default_queue=queue)
    message = only(check_configuration(), "E022")
    assert f"sep ':', which the name of the queue {queue!r} has in it" in message.msg


def test_a_separator_that_no_documents_queue_has_in_its_name(make_app: MakeApp) -> None:
    app = make_app(
        REDIS,
        broker_transport_options={"sep": ":"},
        task_routes={"portal.process": "documents", "portal.mail": "mail:all"},
    )
    app.task(name="portal.mail", shared=False)(of_anything)
    assert check_configuration() == []


@pytest.mark.parametrize("missing", ["kombu.transport.redis", "packaging.version"])
def test_e025_the_redis_transport_cannot_be_imported(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    make_app(REDIS)
    monkeypatch.delitem(sys.modules, "kombu.transport.redis", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    message = only(check_configuration(), "E025")
    assert missing in message.msg
    assert "celery[redis]" in str(message.hint)


def test_e025_redis_is_not_installed(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is packaging, which comes with it and is imported first."""
    make_app(REDIS)
    monkeypatch.delitem(sys.modules, "kombu.transport.redis", raising=False)
    for name in ("redis", "packaging.version"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "the package redis is not installed" in only(check_configuration(), "E025").msg


def test_e025_a_redis_that_cannot_be_imported(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(REDIS)
    monkeypatch.setattr(kombu.transport.redis, "redis", None)
    assert "the package redis cannot be imported" in only(check_configuration(), "E025").msg


def test_w018_another_redis_than_celery_names(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(REDIS)
    monkeypatch.setattr(metadata, "version", lambda name: "4.0.0")
    message = only(check_configuration(), "W018")
    assert "redis 4.0.0 is installed, and kombu" in message.msg
    assert "celery[redis]" in str(message.hint)


def test_a_celery_that_names_no_redis(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    make_app(REDIS)
    monkeypatch.setattr(metadata, "requires", lambda name: None)
    assert check_configuration() == []


def test_e026_arguments_the_task_does_not_have(make_app: MakeApp) -> None:
    app = make_app(REDIS)
    prioritize(app, "portal.other", customer="customer", document="invoice")
    app.task(name="portal.other", shared=False)(of_customer)
    message = only(check_configuration(), "E026")
    assert "'invoice', which portal.other does not have: (customer: str)" in message.msg


def test_a_task_that_takes_any_argument_or_is_not_known_here(make_app: MakeApp) -> None:
    app = make_app(REDIS)
    prioritize(app, "portal.other", customer="customer", document="invoice")
    app.task(name="portal.other", shared=False)(of_anything)
    prioritize(app, "elsewhere.task", customer="customer")
    prioritize(app, "elsewhere.tasks.task", customer="customer")
    prioritize(app, "unnamed", customer="customer")
    assert check_configuration() == []


def test_e026_looks_at_the_argument_that_a_path_begins_with(make_app: MakeApp) -> None:
    app = make_app(REDIS)
    prioritize(app, "portal.other", customer="customr.key", document=lambda call: call["customer"])
    app.task(name="portal.other", shared=False)(of_customer)
    assert "'customr', which portal.other" in only(check_configuration(), "E026").msg


def test_w029_an_argument_that_can_be_no_key(make_app: MakeApp) -> None:
    app = make_app(REDIS)
    prioritize(app, "portal.other", customer="customer")
    app.task(name="portal.other", shared=False)(of_upload)
    message = only(check_configuration(), "W029")
    assert (
        "portal.other has customer='customer', and no call has one there: customer: " in message.msg
    )
    assert "Upload is no text, number or UUID" in message.msg
    assert "'overrides.owner_id'" in str(message.hint)


@pytest.mark.parametrize("owner", ["customer.owner", lambda call: call["customer"].owner])
def test_a_customer_within_an_argument(make_app: MakeApp, owner: Any) -> None:
    app = make_app(REDIS)
    prioritize(app, "portal.other", customer=owner)
    app.task(name="portal.other", shared=False)(of_upload)
    assert check_configuration() == []


def test_w022_a_default_priority(make_app: MakeApp) -> None:
    make_app(REDIS, task_default_priority=3)
    message = only(check_configuration(), "W022")
    assert "task_default_priority sets the default priority 3" in message.msg


def test_w022_a_priority_of_the_task(make_app: MakeApp) -> None:
    app = make_app(REDIS)
    app.tasks["portal.process"].priority = 4
    assert "portal.process sets the default priority 4" in only(check_configuration(), "W022").msg


def test_w022_a_priority_in_task_routes(make_app: MakeApp) -> None:
    make_app(REDIS, task_routes={"portal.process": {"priority": 4}})
    message = only(check_configuration(), "W022")
    assert "task_routes sets the priority 4 for portal.process" in message.msg


@pytest.mark.parametrize("option", ["countdown", "eta"])
def test_w023_eta(make_app: MakeApp, option: str) -> None:
    entry = {"task": "portal.process", "schedule": 60, "options": {option: 5}}
    make_app(
        REDIS,
        beat_schedule={
            "late": entry,
            "other": {**entry, "task": "portal.other"},
            "at once": {"task": "portal.process", "schedule": 60},
        },
    )
    message = only(check_configuration(), "W023")
    assert f"beat_schedule['late'] sends portal.process with {option}" in message.msg


def test_w025_inheritance(make_app: MakeApp) -> None:
    make_app(REDIS, task_inherit_parent_priority=True)
    assert "task_inherit_parent_priority is on" in only(check_configuration(), "W025").msg
