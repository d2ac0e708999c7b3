"""Celery on Redis; imported only where ENGINE=celery was chosen."""

from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.utils.translation import gettext_lazy as _
from kombu.exceptions import KombuError
from kombu.exceptions import OperationalError as BrokerError
from redis import Redis
from redis.exceptions import RedisError

from doc_priority.contrib.engines import engine_priorities
from doc_priority.services import check_many
from example_project.celery import QUEUE, REDIS_URL, app
from example_project.portal.engines import Engine, QueueDown
from example_project.portal.tasks import process_document


@app.task  # type: ignore[untyped-decorator]  # Celery has no types
def process(client_key: str, reference: str) -> None:
    """Process one document of a customer."""
    process_document(client_key, reference)


class CeleryOnRedis(Engine):
    """Redis knows nothing of the database's transaction: documents are sent once it is over.

    What a worker abandoned, Redis delivers again by itself, after the visibility timeout.
    """

    name = "Celery on Redis"
    order = _(
        "The document at place 1 is processed next: best priority first, then first come, first "
        "served."
    )
    worker = (
        *("celery", "--quiet", "--app", "example_project.celery", "worker", "--pool", "solo"),
        *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    )

    def require(self) -> None:
        try:
            with Redis.from_url(REDIS_URL, socket_connect_timeout=3, socket_timeout=3) as redis:
                redis.ping()
        except (RedisError, ValueError) as error:
            address = app.connection_for_write().as_uri()
            raise ImproperlyConfigured(
                f"ENGINE=celery needs Redis, and at {address} none answers ({error}). Start one "
                "(redis-server, or docker run -p 6379:6379 redis), or name another one: "
                "make demo ENGINE=celery REDIS_URL=redis://host:6379/0. "
                "Without Redis: make demo"
            ) from error

    def put(self, client_key: str, references: Sequence[str]) -> list[int]:
        # Counted with the documents, all or none. Each is sent with the number it got: by itself
        # Celery would find it counted, and send it like one that is sent again.
        decisions = check_many([(client_key, reference) for reference in references])
        numbers = engine_priorities(decisions, "celery-redis")

        def send() -> None:
            try:
                for reference, number in zip(references, numbers, strict=True):
                    given = {"client_key": client_key, "reference": reference}
                    process.apply_async(kwargs=given, priority=number)
            except (BrokerError, KombuError, RedisError) as error:
                raise QueueDown(str(error)) from error

        transaction.on_commit(send)
        return [decision.priority for decision in decisions]

    def empty(self) -> None:
        with app.connection_for_write() as connection:
            connection.default_channel.queue_purge(QUEUE)
