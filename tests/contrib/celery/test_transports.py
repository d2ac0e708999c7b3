"""Transports without priorities are refused by name, by publishers and by workers."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from doc_priority.exceptions import (
    DocPriorityError,
    TransportWithoutPriorities,
)
from tests.servers import REDIS_URL
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.counting import counted
from tests.contrib.celery.workers import worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis]


@pytest.mark.parametrize(
    "url",
    ["sqs://", "sqla+sqlite:///x", "memory://", "filesystem://", "mongodb://x"],
)
def test_a_transport_without_priorities_is_refused(url: str, make_portal: MakePortal) -> None:
    app, _ = make_portal("other", url=url)
    name = url.partition(":")[0].partition("+")[0]
    with pytest.raises(TransportWithoutPriorities, match=f"{name!r}.*Use Redis") as raised:
        app.tasks["portal.process"].delay("acme", "D-1")
    assert isinstance(raised.value, DocPriorityError)
    assert raised.value.code == "transport_without_priorities"
    assert counted() == 0


def test_a_worker_refuses_such_a_transport(make_portal: MakePortal) -> None:
    _, terms = make_portal("other", url="memory://")
    with worker(terms) as process:
        assert process.wait(30) != 0
    output = Path(terms.folder, "output").read_text()
    assert "TransportWithoutPriorities: Celery's transport 'memory'" in output


@pytest.mark.parametrize(("url", "refused"), [("memory://", True), ("redis://", False)])
def test_the_step_at_which_it_does(make_portal: MakePortal, url: str, refused: bool) -> None:
    app, _ = make_portal("other", url=url)
    (step,) = app.steps["worker"]
    with pytest.raises(TransportWithoutPriorities) if refused else nullcontext():
        step(SimpleNamespace(app=app))


@pytest.mark.parametrize(
    ("transport", "refused"),
    [("kombu.transport.redis:Transport", False), ("kombu.transport.memory:Transport", True)],
)
def test_a_transport_given_by_its_class(
    make_portal: MakePortal, transport: str, refused: bool
) -> None:
    app, _ = make_portal("redis", broker_transport=transport)
    if refused:
        with pytest.raises(TransportWithoutPriorities, match="memory"):
            app.tasks["portal.process"].delay("acme", "D-1")
    else:
        assert app.tasks["portal.process"].delay("acme", "D-1").id


@pytest.mark.parametrize("second", ["memory://", "amqp://127.0.0.1"])
def test_a_second_address_of_another_kind(make_portal: MakePortal, second: str) -> None:
    app, _ = make_portal("other", url=f"{REDIS_URL};{second}")
    with pytest.raises(TransportWithoutPriorities, match=r"memory|'amqp'"):
        app.tasks["portal.process"].delay("acme", "D-1")
    assert counted() == 0
