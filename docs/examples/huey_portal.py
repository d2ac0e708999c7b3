"""Huey: a store with priorities, and the priority with the call."""

import os

from huey import PriorityRedisHuey

from doc_priority.contrib.engines import engine_priority
from doc_priority.services import check

huey = PriorityRedisHuey("documents", url=os.environ["REDIS_URL"])


@huey.task()
def process(customer_key: str, document_id: str) -> None:
    """The portal's work on one document."""


def send(customer_key: str, document_id: str) -> None:
    decision = check(customer_key, document=document_id)
    process(customer_key, document_id, priority=engine_priority(decision, "huey"))
