"""The examples of the documentation, on real servers: documents are done in their order."""

import importlib
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import dramatiq
import pytest
import rq
from django.conf import settings

from doc_priority.models import DocumentDecision
from doc_priority.testing import set_priority
from tests.contrib.workers import inversions
from tests.servers import RABBITMQ_URL, REDIS_URL

EXAMPLES = Path(settings.BASE_DIR, "docs", "examples")
DOCUMENTS = [f"INV-{number}" for number in range(90)]

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]


@pytest.fixture
def example(monkeypatch):
    """Imports an example anew, with the servers of these tests."""
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setenv("REDIS_URL", REDIS_URL)
    monkeypatch.setenv("RABBITMQ_URL", RABBITMQ_URL)
    before = set(sys.modules)
    yield importlib.import_module
    for name in {"huey_portal", "rq_portal", "dramatiq_portal"} & (set(sys.modules) - before):
        del sys.modules[name]


def send_all(portal: ModuleType) -> None:
    """Documents of customers at every level, in a random order."""
    for level in range(1, 10):
        set_priority(f"customer-{level}", level)
    order = Random(4)
    for document in DOCUMENTS:
        portal.send(f"customer-{order.randint(1, 9)}", document)


def assert_done_in_order(documents: list[str]) -> None:
    decided = dict(DocumentDecision.objects.values_list("document", "priority"))
    assert sorted(documents) == sorted(DOCUMENTS)
    assert len(set(decided.values())) == 9
    assert inversions([decided[document] for document in DOCUMENTS]) > 0
    assert inversions([decided[document] for document in documents]) == 0


@pytest.mark.redis
def test_huey(example):
    portal = example("huey_portal")
    portal.huey.flush()
    done = []
    portal.huey.signal("complete")(lambda signal, task: done.append(task.args[1]))
    try:
        send_all(portal)
        while task := portal.huey.dequeue():
            portal.huey.execute(task)
    finally:
        portal.huey.flush()
    assert_done_in_order(done)


@pytest.mark.redis
def test_rq(example):
    portal = example("rq_portal")
    queues = [rq.Queue(name, connection=portal.redis) for name in portal.QUEUES]
    done = []

    class Worker(rq.SimpleWorker):
        def perform_job(self, job, queue):
            done.append(job.args[1])
            return super().perform_job(job, queue)

    try:
        send_all(portal)
        Worker(portal.QUEUES, connection=portal.redis).work(burst=True, logging_level="ERROR")
    finally:
        for queue in queues:
            queue.delete(delete_jobs=True)
        portal.redis.close()
    assert_done_in_order(done)


@pytest.mark.rabbitmq
def test_dramatiq(example):
    portal = example("dramatiq_portal")
    done = []

    class Recording(dramatiq.Middleware):
        def after_process_message(self, broker, message, *, result=None, exception=None):
            done.append(message.args[1])

    portal.broker.add_middleware(Recording())
    worker = dramatiq.Worker(portal.broker, worker_threads=1)
    try:
        send_all(portal)
        worker.start()
        portal.broker.join("documents", timeout=30_000)
        worker.stop()
    finally:
        portal.broker.channel.queue_delete("documents")
        portal.broker.close()
    assert_done_in_order(done)
