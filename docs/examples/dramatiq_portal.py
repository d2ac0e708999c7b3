"""Dramatiq on RabbitMQ: queues with ten levels, and `broker_priority` with the message."""

import os

import dramatiq
from dramatiq.brokers.rabbitmq import RabbitmqBroker

from doc_priority.contrib.engines import engine_priority
from doc_priority.services import check

broker = RabbitmqBroker(url=os.environ["RABBITMQ_URL"], max_priority=10)
dramatiq.set_broker(broker)


@dramatiq.actor(queue_name="documents")
def process(customer_key: str, document_id: str) -> None:
    """The portal's work on one document."""


def send(customer_key: str, document_id: str) -> None:
    decision = check(customer_key, document=document_id)
    process.send_with_options(
        args=(customer_key, document_id),
        broker_priority=engine_priority(decision, "dramatiq"),
    )
