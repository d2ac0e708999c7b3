"""Do the broker and the workers that listen there keep the nine levels apart at this moment?"""

from collections.abc import Iterable, Iterator, Mapping
from time import monotonic
from typing import Any

from amqp.exceptions import AMQPError, NotFound, PreconditionFailed
from django.core import checks
from django.core.checks import CheckMessage, Error
from kombu.exceptions import OperationalError

from doc_priority.conf import settings
from doc_priority.contrib.celery import maxima, routes
from doc_priority.contrib.celery.bounded_producer import SHARE, connection_of
from doc_priority.contrib.celery.checks import misnamed
from doc_priority.contrib.celery.checks.differing import differences, lists_of
from doc_priority.contrib.celery.deadline import until
from doc_priority.contrib.celery.prioritized import Tasks
from doc_priority.contrib.levels import Engine

NINE_LEVELS = (4, 3)
"""The first RabbitMQ whose quorum queues keep nine levels apart."""
TWO_LEVELS = (4, 0)


def look(app: Any, tasks: Tasks, *, engine: Engine) -> Iterator[CheckMessage]:
    seconds = settings.publish_timeout_ms / 1000
    try:
        with until(monotonic() + SHARE * seconds):
            found = _seen(app, tasks, engine=engine, seconds=seconds)
    except (OperationalError, AMQPError) as error:
        # A wrong password or virtual host is none of kombu's own errors.
        yield checks.Warning(
            f"{app.main}: the broker could not be asked, so nothing can be said about its queues "
            f"and workers: {str(error) or repr(error)}",
            hint="Run this check where the broker can be reached, with the user, password and "
            f"virtual host that it knows. It has PUBLISH_TIMEOUT_MS, {seconds:g} s, for an answer.",
            id="doc_priority.W026",
        )
    else:
        yield from found


def _seen(app: Any, tasks: Tasks, *, engine: Engine, seconds: float) -> list[CheckMessage]:
    connection = connection_of(app, engine=engine, seconds=seconds)
    with connection, connection._reraise_as_library_errors():
        connection.ensure_connection(max_retries=0)
        on_rabbitmq = engine is Engine.CELERY_RABBITMQ
        queues = _queues(app, tasks, connection) if on_rabbitmq else ()
        return [*queues, *_workers(app, tasks, connection, engine=engine, seconds=seconds)]


def _queues(app: Any, tasks: Tasks, connection: Any) -> Iterator[CheckMessage]:
    version = _version(connection.connection.server_properties)
    ours = routes.queues_of(app, tasks)
    for queue in ours:
        if (queue.queue_arguments or {}).get("x-queue-type") == "quorum":
            yield from _quorum(app, queue.name, version)
    for queue in _with_a_maximum(app, ours):
        yield from _declared_otherwise(app, queue, connection)


def _with_a_maximum(app: Any, ours: list[Any]) -> list[Any]:
    """All of the app's queues where the portal gives all of them one; else the documents' own."""
    if app.conf.task_queue_max_priority is None:
        return ours
    others = (*app.amqp.queues.values(), *routes.queues_of(app, misnamed.own_tasks(app)))
    return list({queue.name: queue for queue in (*ours, *others)}.values())


def _version(properties: Any) -> tuple[int, ...]:
    return tuple(int(part) for part in str(properties["version"]).split(".")[:2])


def _quorum(app: Any, name: str, version: tuple[int, ...]) -> Iterator[CheckMessage]:
    if version < NINE_LEVELS:
        kept = "merges the nine levels into two" if version >= TWO_LEVELS else "has no priorities"
        yield Error(
            f"{app.main}: {name!r} is a quorum queue, and a quorum queue of RabbitMQ "
            f"{'.'.join(map(str, version))} {kept}.",
            hint="Use RabbitMQ 4.3 or newer, or a classic queue with a new name and "
            f"a maximum priority of {maxima.MAX_PRIORITY}.",
            id="doc_priority.E029",
        )


def _declared_otherwise(app: Any, queue: Any, connection: Any) -> Iterator[CheckMessage]:
    """Declared again only where it exists, so that looking makes none."""
    if not _accepted(connection, queue, passive=True, error=NotFound):
        return
    if not _accepted(connection, queue, passive=False, error=PreconditionFailed):
        yield Error(
            f"{app.main}: the queue {queue.name!r} exists with other arguments than "
            f"{queue.queue_arguments!r}; RabbitMQ refuses every task that is sent there, and every "
            "worker that reads it.",
            hint="Let it run empty and delete it, or give the tasks a queue with a new name. Where "
            "task_queue_max_priority is set, all queues of the app get it; left out, only those of "
            "prioritised tasks do.",
            id="doc_priority.E028",
        )


def _accepted(connection: Any, queue: Any, *, passive: bool, error: type[Exception]) -> bool:
    with connection.channel() as channel:  # a refusal closes it
        try:
            queue(channel).queue_declare(passive=passive)
        except error:
            return False
    return True


def _workers(
    app: Any, tasks: Tasks, connection: Any, *, engine: Engine, seconds: float
) -> Iterator[CheckMessage]:
    """Those that read a queue of prioritised tasks; none need run while this is asked."""
    names = {queue.name for queue in routes.queues_of(app, tasks)}
    wait = {"timeout": SHARE * min(seconds / 2, 1), "connection": connection}
    found = app.control.inspect(**wait).active_queues() or {}
    read = {worker: names.intersection(_named(queues)) for worker, queues in found.items()}
    if found:
        for name in sorted(names.difference(*read.values())):
            yield _unread(app, name)
    readers = [worker for worker, queues in read.items() if queues]
    inspect = app.control.inspect(readers, **wait)
    # Only with its defaults a worker tells what it goes by: without them it tells what somebody
    # wrote, by whichever name the setting has there (CELERY_… in Django's settings). A worker with
    # settings of the old names (BROKER_TRANSPORT_OPTIONS) tells neither by its new name.
    confs: Mapping[str, Any] = (inspect.conf(with_defaults=True) if readers else None) or {}
    stats: Mapping[str, Any] = (inspect.stats() if confs else None) or {}
    on_redis = engine is Engine.CELERY_REDIS
    ours = lists_of(app.conf.broker_transport_options) if on_redis else {}
    for worker, conf in sorted(confs.items()):
        options = conf.get("broker_transport_options")
        theirs = {} if options is None else lists_of(options)
        yield from differences(app, ours, f"the worker {worker}", theirs)
        if not conf.get("worker_disable_prefetch", True):
            yield from _prefetch(app, worker, stats.get(worker, {}))


def _unread(app: Any, queue: str) -> CheckMessage:
    return checks.Warning(
        f"{app.main}: no worker that answers reads the queue {queue!r}, so prioritised tasks wait "
        "there.",
        hint=f"Start one with -Q {queue}. A worker that is busy may not answer in time.",
        id="doc_priority.W019",
    )


def _named(queues: Iterable[Mapping[str, Any]]) -> list[str]:
    return [str(queue["name"]) for queue in queues]


def _prefetch(app: Any, worker: str, stats: Mapping[str, Any]) -> Iterator[CheckMessage]:
    """What the worker was started with, which its configuration need not say."""
    fetched, processes = stats.get("prefetch_count"), stats.get("pool", {}).get("max-concurrency")
    if fetched is None or processes is None or 0 < fetched <= processes:
        return
    taken = f"{fetched} tasks" if fetched else "all tasks there are"
    yield checks.Warning(
        f"{app.main}: the worker {worker} fetches {taken} for its {processes} processes; those are "
        "done before an urgent one that comes later.",
        hint="Start it without --prefetch-multiplier, and leave worker_prefetch_multiplier out. "
        "Tasks with countdown or eta that it holds count too.",
        id="doc_priority.W027",
    )
