"""What RabbitMQ refuses, or would drop without a word, the caller hears of."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from amqp.exceptions import AccessRefused, NotAllowed, PreconditionFailed
from kombu import Connection, Queue
from kombu.exceptions import OperationalError

from tests.servers import RABBITMQ_URL
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.portal import Terms

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis]


@pytest.mark.rabbitmq
@pytest.mark.parametrize(
    ("user", "host", "kind"),
    [("guest:wrong", "", AccessRefused), ("guest:guest", "nowhere", NotAllowed)],
)
def test_a_broker_that_lets_nobody_in(
    make_portal: MakePortal, user: str, host: str, kind: type[Exception]
) -> None:
    address = RABBITMQ_URL.partition("@")[2].rstrip("/")
    app, _ = make_portal("other", url=f"amqp://{user}@{address}/{host}")
    with pytest.raises(OperationalError) as failed:
        app.tasks["portal.process"].delay("acme", "D-1")
    assert isinstance(failed.value.__cause__, kind)


@pytest.mark.rabbitmq
def test_a_queue_that_exists_without_levels(make_portal: MakePortal) -> None:
    app, terms = make_portal("rabbitmq")
    with Connection(RABBITMQ_URL) as broker, broker.channel() as channel:
        channel.queue_declare(terms.queue, durable=True, auto_delete=False)
    with pytest.raises(OperationalError, match="a queue with a new name") as failed:
        app.tasks["portal.process"].delay("acme", "D-1")
    assert repr(terms.queue) in str(failed.value)
    assert isinstance(failed.value.__cause__, PreconditionFailed)


@pytest.mark.rabbitmq
def test_a_queue_that_was_deleted_meanwhile(
    make_portal: MakePortal, published: Callable[[Terms], int]
) -> None:
    """RabbitMQ confirms what it drops, and the connection thinks that the queue is there."""
    app, terms = make_portal("rabbitmq")
    for number in range(3):
        app.tasks["portal.process"].delay("acme", f"D-{number}")
        assert published(terms) == 1
        with Connection(RABBITMQ_URL) as broker, broker.channel() as channel:
            channel.queue_delete(terms.queue)


@pytest.mark.rabbitmq
def test_a_message_that_goes_nowhere(make_portal: MakePortal) -> None:
    app, _ = make_portal("rabbitmq")
    nowhere = {"exchange": "amq.direct", "routing_key": uuid4().hex}
    with pytest.raises(OperationalError, match="went into no queue, although 'celery' was"):
        app.tasks["portal.process"].apply_async(
            ("acme", "D-1"), declare=[Queue("celery", no_declare=True)], **nowhere
        )
    app.tasks["portal.process"].apply_async(("acme", "D-1"), mandatory=False, **nowhere)
