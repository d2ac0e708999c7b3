"""RQ: a queue for each level, and a worker that is given all nine in their order."""

import os

from redis import Redis
from rq import Queue, Worker

from doc_priority.contrib.engines import engine_priority
from doc_priority.services import check

redis = Redis.from_url(os.environ["REDIS_URL"])
QUEUES = [f"p{priority}" for priority in range(1, 10)]


def process(customer_key: str, document_id: str) -> None:
    """The portal's work on one document."""


def send(customer_key: str, document_id: str) -> None:
    decision = check(customer_key, document=document_id)
    queue = Queue(engine_priority(decision, "rq"), connection=redis)
    queue.enqueue(process, customer_key, document_id)


def work() -> None:
    Worker(QUEUES, connection=redis).work(burst=True)
