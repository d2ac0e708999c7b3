"""Do the broker and the workers that listen there keep the nine levels apart at this moment?

`prioritize` registers this system check for `manage.py check --deploy`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from amqp.exceptions import AMQPError, NotFound, PreconditionFailed
from django.core.checks import CheckMessage
from kombu.exceptions import OperationalError

from doc_priority.conf import settings
from doc_priority.contrib.celery import messages
from doc_priority.contrib.celery.broker import broker_urls, engine_of
from doc_priority.contrib.celery.checks import differences, lists_of, own_tasks
from doc_priority.contrib.celery.queues import queues_of, type_of
from doc_priority.contrib.celery.registry import Tasks, all_apps
from doc_priority.contrib.levels import Engine
from doc_priority.exceptions import TransportWithoutPriorities

NINE_LEVELS = (4, 3)  # the first RabbitMQ whose quorum queues keep nine levels apart; from 4.0 two


def check_broker(**kwargs: Any) -> list[CheckMessage]:
    """Ask the broker of every app with prioritised tasks, and the workers there."""
    found: list[CheckMessage] = []
    for app, tasks in all_apps():
        try:
            engine = engine_of(app)
            made = app.connection_for_write()  # imports the transport
        except (ImportError, TransportWithoutPriorities):
            continue  # the check of the configuration says so
        with made as connection:
            # A wrong password or virtual host is none of kombu's own errors.
            errors = (OperationalError, AMQPError, *connection.connection_errors)
            try:
                connection.ensure_connection(
                    max_retries=len(broker_urls(app)) - 1, interval_start=0, interval_step=0
                )
                if engine is Engine.CELERY_RABBITMQ:
                    found += _check_queues(app, tasks, connection)
                found += _check_workers(app, tasks, connection)
            except errors as error:
                seconds = settings.publish_timeout_ms / 1000
                said = str(error) or repr(error)
                found.append(messages.W026(app=app.main, error=said, seconds=seconds))
                connection.collect()  # without a farewell to a broker that may not listen
    return found


def _check_queues(app: Any, tasks: Tasks, connection: Any) -> Iterator[CheckMessage]:
    """RabbitMQ accepts the queues as they are declared here, and keeps nine levels in them."""
    ours = queues_of(app, tasks)
    version = str(connection.connection.server_properties["version"]).split(".")[:2]
    release = tuple(map(int, version))
    for queue in ours:
        if type_of(queue) == "quorum" and release < NINE_LEVELS:
            check = messages.E029_TWO_LEVELS if release >= (4, 0) else messages.E029_NO_LEVELS
            yield check(app=app.main, queue=queue.name, version=".".join(version))
    # Where the portal gives all of the app's queues a maximum, all of them; else the documents'.
    queues = {queue.name: queue for queue in ours}
    if app.conf.task_queue_max_priority is not None:
        others = (*app.amqp.queues.values(), *queues_of(app, own_tasks(app)))
        queues |= {queue.name: queue for queue in others}
    for queue in queues.values():
        # Declared again only where it exists, so that looking makes none.
        if _accepted(connection, queue, passive=True, error=NotFound) and not _accepted(
            connection, queue, passive=False, error=PreconditionFailed
        ):
            yield messages.E028(app=app.main, queue=queue.name, arguments=queue.queue_arguments)


def _accepted(connection: Any, queue: Any, *, passive: bool, error: type[Exception]) -> bool:
    with connection.channel() as channel:  # a refusal closes it
        try:
            queue(channel).queue_declare(passive=passive)
        except error:
            return False
    return True


def _check_workers(app: Any, tasks: Tasks, connection: Any) -> Iterator[CheckMessage]:
    """Check the workers that read a queue of prioritised tasks, if any run."""
    names = {queue.name for queue in queues_of(app, tasks)}
    wait = {"timeout": min(settings.publish_timeout_ms / 2000, 1), "connection": connection}
    found = app.control.inspect(**wait).active_queues() or {}
    read = {
        worker: names.intersection(str(queue["name"]) for queue in queues)
        for worker, queues in found.items()
    }
    if found:
        for name in sorted(names.difference(*read.values())):
            yield messages.W019(app=app.main, queue=name)
    readers = [worker for worker, queues in read.items() if queues]
    inspect = app.control.inspect(readers, **wait)
    # Only with its defaults a worker tells what it goes by: without them it tells what somebody
    # wrote, by whichever name the setting has there (CELERY_… in Django's settings). A worker with
    # settings of the old names (BROKER_TRANSPORT_OPTIONS) tells neither by its new name.
    confs: Mapping[str, Any] = (inspect.conf(with_defaults=True) if readers else None) or {}
    stats: Mapping[str, Any] = (inspect.stats() if confs else None) or {}
    on_redis = engine_of(app) is Engine.CELERY_REDIS
    ours = lists_of(app.conf.broker_transport_options) if on_redis else {}
    for worker, conf in sorted(confs.items()):
        options = conf.get("broker_transport_options")
        theirs = {} if options is None else lists_of(options)
        yield from differences(app, ours, f"the worker {worker}", theirs)
        if conf.get("worker_disable_prefetch", True):
            continue
        # What the worker was started with, which its configuration need not say.
        told = stats.get(worker, {})
        fetched, processes = told.get("prefetch_count"), told.get("pool", {}).get("max-concurrency")
        if fetched is not None and processes is not None and not 0 < fetched <= processes:
            taken = f"{fetched} tasks" if fetched else "all tasks there are"
            yield messages.W027(app=app.main, worker=worker, fetched=taken, processes=processes)
