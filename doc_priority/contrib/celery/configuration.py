"""What `prioritize` puts into the app's configuration, on publishers and workers alike.

Both import the portal's Celery module, so both get it. Nothing is read before the app itself reads
its configuration. What the portal set stays, except waits that are longer than PUBLISH_TIMEOUT_MS.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from celery.app import annotations
from celery.utils.functional import firstmethod
from celery.utils.text import match_case
from django.core.exceptions import ImproperlyConfigured

from doc_priority.conf import DEFAULTS, settings
from doc_priority.contrib.celery import queues
from doc_priority.contrib.celery.broker import broker_urls
from doc_priority.contrib.celery.registry import Tasks, tasks_of

STEPS = list(range(10))


@dataclass(frozen=True, slots=True)
class LateAcknowledgement:
    """An annotation: prioritised tasks acknowledge late unless the portal said otherwise.

    A document that a worker has fetched but not begun is handed over to nobody else before, and
    with the multiplier 1 there is none. Celery asks for the first annotation that answers, so this
    one also gives what the portal's own would have.
    """

    tasks: Tasks
    others: tuple[Any, ...]

    def annotate(self, task: Any) -> dict[str, Any] | None:
        if task.name not in self.tasks:
            return None
        wanted = ("acks_late", "reject_on_worker_lost")
        late = {name: True for name in wanted if getattr(task, name) is None}
        return {**late, **(firstmethod("annotate")(self.others, task) or {})}


def complete(sender: Any, *, source: Any, **kwargs: Any) -> None:
    """Put in what is missing; a receiver of the app's `on_after_configure`."""
    _add_defaults(source)
    _limit_waits(sender, source)
    others = tuple(annotations.prepare(source.task_annotations))
    _set(source, "task_annotations", (LateAcknowledgement(tasks_of(sender), others), *others))
    vars(sender).pop("annotations", None)  # the app may have prepared the old ones
    queues.give_levels(sender)


_DEFAULTS = {
    "worker_prefetch_multiplier": 1,
    "CELERYD_PREFETCH_MULTIPLIER": 1,
    # None is as good as Celery's own False, and tells a portal's False from no word at all.
    "task_acks_late": None,
    "CELERY_ACKS_LATE": None,
}


def _add_defaults(source: Any) -> None:
    """Before Celery's defaults, which come last, and behind whatever the portal said.

    The configuration's own `add_defaults` puts them before the object that the portal's settings
    were read from. Celery's are of the new names or of the old ones, as the portal's settings are,
    and Celery 5.6 would prefer a new name here to the portal's old one.
    """
    ours = {name: value for name, value in _DEFAULTS.items() if name in source.maps[-1]}
    for maps in (source.defaults, source.maps):
        maps.insert(-1, ours)


_WAITS = (
    "broker_connection_timeout",
    "broker_pool_acquire_timeout",
    "redis_socket_timeout",
    "redis_socket_connect_timeout",
)


def _limit_waits(app: Any, source: Any) -> None:
    """No wait for the broker, or for results in Redis, is longer than PUBLISH_TIMEOUT_MS."""
    try:
        seconds = settings.publish_timeout_ms / 1000
    except ImproperlyConfigured:  # the check E017 says so
        seconds = DEFAULTS["PUBLISH_TIMEOUT_MS"] / 1000
    addresses = len(broker_urls(app))
    # A kept connection may have died, so a message has a second attempt; each address has one.
    attempts = {"max_retries": max(addresses - 1, 1)}
    attempts |= dict.fromkeys(("interval_start", "interval_step", "interval_max"), 0)
    waits = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), seconds)
    limits = {**waits, **attempts, "connect_retries_timeout": addresses * seconds}
    options = source.broker_transport_options or {}
    limited = {
        "priority_steps": STEPS,
        "on_open": WaitLimit(seconds),
        **_at_most(options, limits),
        "sentinel_kwargs": {"retry": None, **_at_most(options.get("sentinel_kwargs"), waits)},
        "retry_on_timeout": False,
        "confirm_publish": True,  # else a RabbitMQ that hangs swallows what it is sent
    }
    _set(source, "broker_transport_options", limited)
    _set(source, "task_publish_retry_policy", _at_most(source.task_publish_retry_policy, attempts))
    given = {name: source.get(name) for name in _WAITS}
    for name, value in _at_most(given, dict.fromkeys(_WAITS, seconds)).items():
        _set(source, name, value)


def _at_most(given: Mapping[str, Any] | None, limits: Mapping[str, float]) -> dict[str, Any]:
    """What is given, where it is stricter, and else the limits; None means without end."""
    given = given or {}
    own = {name: given[name] for name in limits if given.get(name) is not None}
    return {**given, **{name: min(own.get(name, most), most) for name, most in limits.items()}}


@dataclass(frozen=True, slots=True)
class WaitLimit:
    """py-amqp calls it with each new connection, whose waits otherwise have no end."""

    seconds: float

    def __call__(self, connection: Any) -> None:
        connection.sock.settimeout(self.seconds)

    def __json__(self) -> str:
        """As `celery inspect stats` tells it, which sends the options of a worker's connection."""
        return repr(self)


def _set(source: Any, name: str, value: Any) -> None:
    """Put a value before what the portal's settings say.

    Celery 5.6 looks for the name with the namespace (CELERY_…) in all maps of the configuration,
    and only then for the bare one in any. So there a bare name in the first map loses against the
    portal's settings in a later one, and the other name has to be written as well.
    """
    source[name] = value
    if source.prefix:
        source[match_case(source.prefix + name, source.prefix)] = value
