"""Whose connection a document leaves through."""

from multiprocessing import get_context
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings

from doc_priority.contrib.celery.outlets import Lease
from tests.servers import REDIS_URL
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.counting import counted

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis]


def test_a_producer_of_the_callers_own_is_used(process: Any, sent: list[dict[str, Any]]) -> None:
    with process.app.connection_for_write() as own, own.Producer() as producer:
        process.apply_async(("acme", "D-1"), producer=producer)
        process.apply_async(("acme", "D-2"), connection=own)
        assert own.connected
    assert [one["priority"] for one in sent] == [1, 1]


def test_a_producer_of_the_callers_own_knows_no_time_limit(
    make_portal: MakePortal, sent: list[dict[str, Any]]
) -> None:
    """Results in Redis are listened for at once there, as Celery does it."""
    app, _ = make_portal("redis", result_backend=REDIS_URL)
    process = app.tasks["portal.process"]
    with app.connection_for_write() as own, own.Producer() as producer:
        result = process.apply_async(("acme", "D-1"), producer=producer)
    assert len(app.backend.result_consumer.subscribed_to) == 1
    process.apply_async(("acme", "D-2"), ignore_result=True)
    assert [one["id"] for one in sent][:1] == [result.id]


def test_a_fork_gets_connections_of_its_own(process: Any) -> None:
    """And leaves those of its parent open."""
    process.delay("acme", "D-1")
    outlets = process.app.send_task._outlets
    before = outlets.current()
    connection.close()
    child = get_context("fork").Process(target=publish_through_another, args=(outlets, before))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert outlets.current() is before
    process.delay("acme", "D-2")
    assert counted() == 2


def publish_through_another(outlets: Any, inherited: Any) -> None:
    assert outlets.current() is not inherited
    with Lease(outlets.current()) as producer:
        producer.publish({}, routing_key="nowhere")  # Redis does not mind


def test_another_time_limit_holds_at_once(process: Any) -> None:
    outlets = process.app.send_task._outlets
    before = outlets.current()
    with override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1234}):
        assert outlets.current() is not before
        assert outlets.current().seconds == 1.234
