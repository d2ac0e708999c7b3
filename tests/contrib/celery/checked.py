"""Apps to be checked, and what a check says of them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from celery import Celery
from django.core.checks import ERROR, WARNING, CheckMessage

from doc_priority.contrib.celery import prioritize
from tests.contrib.celery.closing import closing


def process(customer: str, document: str) -> None:
    """A prioritised task."""


def of_customer(customer: str) -> None:
    """One without a document."""


@dataclass
class Upload:
    owner: str


def of_upload(customer: Upload) -> None:
    """One whose customer is within an argument."""


def of_anything(**kwargs: Any) -> None:
    """One that takes every argument."""


def nothing() -> None:
    """Another task."""


REDIS = "redis://127.0.0.1:6379/15"
TEN = list(range(10))
RABBITMQ = "amqp://guest:guest@127.0.0.1:5672//"

MakeApp = Callable[..., Celery]


@contextmanager
def making() -> Iterator[MakeApp]:
    """Makes apps with one prioritised task: `make(REDIS, task_acks_late=False)`.

    Without an address the app's settings say which broker it has.
    """
    names = (f"checked{number}" for number in count())
    with ExitStack() as stack:

        def make(url: str, *, prioritized: bool = True, **conf: Any) -> Celery:
            app = Celery(next(names), broker=url or None, set_as_current=False)
            stack.enter_context(closing(app))
            # Workers of other tests answer at the same RabbitMQ.
            app.conf.update({"control_exchange": "doc_priority_test", **conf})
            if prioritized:
                prioritize(app, "portal.process", customer="customer", document="document")
            app.task(name="portal.process", shared=False)(process)
            return app

        yield make


def only(found: list[CheckMessage], number: str) -> CheckMessage:
    assert [one.id for one in found] == [f"doc_priority.{number}"]
    assert found[0].level == (ERROR if number.startswith("E") else WARNING)
    assert found[0].hint
    return found[0]
