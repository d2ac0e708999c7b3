"""Do publishers and workers agree?

Documents that a publisher puts into a list or a queue that its worker does not look for never run,
and nothing fails. Who has nothing to do with the queues of prioritised tasks may do as it likes.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from celery._state import _get_active_apps
from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Error

from doc_priority.contrib.celery import broker, maxima, prioritized, routes
from doc_priority.contrib.celery.checks import misnamed
from doc_priority.contrib.celery.checks.steps import SEP
from doc_priority.contrib.celery.prioritized import Tasks
from doc_priority.shortening import shortened

Terms = dict[str, Any]
"""What both sides must have in common, by its name."""

_USUAL_STEPS = [0, 3, 6, 9]


def lists_of(options: Mapping[str, Any] | None) -> Terms:
    """On Redis: by which names a queue's lists are called."""
    given = options or {}
    return {
        "priority_steps": list(given.get("priority_steps") or _USUAL_STEPS),
        "sep": given.get("sep", SEP),
    }


def maxima_of(queues: Iterable[Any]) -> Terms:
    """On RabbitMQ: with what the queues are declared."""
    return {f"the maximum priority of {one.name!r}": maxima.maximum_of(one) for one in queues}


def differences(app: Any, ours: Terms, whose: str, theirs: Terms) -> Iterator[CheckMessage]:
    """One message for each term of ours in which they differ."""
    for name, value in ours.items():
        if name in theirs and theirs[name] != value:
            yield Error(
                f"{app.main} has {name} {shortened(value, 100)} and {whose} has "
                f"{shortened(theirs[name], 100)} at the same broker: what one of them sends the "
                "other may never read.",
                hint="Give both the same, best by prioritize() in a module that both import.",
                id="doc_priority.E027",
            )


def look_at_lists_in_settings(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """CELERY_… in Django's settings, which another process may read where this app does not."""
    ours = lists_of(app.conf.broker_transport_options)
    options = getattr(django_settings, "CELERY_BROKER_TRANSPORT_OPTIONS", None) or {}
    yield from differences(app, ours, "Django's CELERY_ settings", lists_of({**ours, **options}))


def look_at_maxima_in_settings(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    """The same of the maximum priority that all queues get."""
    highest = getattr(django_settings, "CELERY_TASK_QUEUE_MAX_PRIORITY", None)
    if highest is not None:
        ours = maxima_of(filter(maxima.is_classic, routes.queues_of(app, tasks)))
        yield from differences(app, ours, "Django's CELERY_ settings", dict.fromkeys(ours, highest))


def look_at_lists_of_other_apps(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    ours = lists_of(app.conf.broker_transport_options)
    for other, _ in _apps_that_share(app, tasks):
        theirs = lists_of(other.conf.broker_transport_options)
        yield from differences(app, ours, f"the app {other.main}", theirs)


def look_at_maxima_of_other_apps(app: Any, tasks: Tasks) -> Iterator[CheckMessage]:
    ours = maxima_of(routes.queues_of(app, tasks))
    for other, queues in _apps_that_share(app, tasks):
        yield from differences(app, ours, f"the app {other.main}", maxima_of(queues))


def _apps_that_share(app: Any, tasks: Tasks) -> Iterator[tuple[Any, list[Any]]]:
    """Those without prioritised tasks of their own, and what they have of our tasks' queues."""
    names = {queue.name for queue in routes.queues_of(app, tasks)}
    known = [one for one, _ in prioritized.all_apps()]
    for other in sorted(_get_active_apps(), key=lambda one: str(one.main)):
        if other in known or not _same_broker(app, other):
            continue
        if shared := [queue for queue in _queues_of(other) if queue.name in names]:
            yield other, shared


def _same_broker(app: Any, other: Any) -> bool:
    return not set(broker.broker_urls(app)).isdisjoint(broker.broker_urls(other))


def _queues_of(other: Any) -> Iterator[Any]:
    """Declared or the default one; and into which its tasks go, if it has come to know them."""
    yield from list(other.amqp.queues.values())
    if other.finalized:
        yield from routes.queues_of(other, misnamed.own_tasks(other))


REDIS_LOOKS = (look_at_lists_in_settings, look_at_lists_of_other_apps)
RABBITMQ_LOOKS = (look_at_maxima_in_settings, look_at_maxima_of_other_apps)
