"""The broker of an app: which engine it is. How long it is waited for is in `timeouts`."""

from typing import Any

from celery import bootsteps
from kombu.transport import get_transport_cls

from doc_priority.contrib.celery.messages import REMEDY
from doc_priority.contrib.levels import Engine
from doc_priority.exceptions import TransportWithoutPriorities

_BY_NAME = {
    **dict.fromkeys(("redis", "rediss", "sentinel"), Engine.CELERY_REDIS),
    **dict.fromkeys(("amqp", "amqps", "librabbitmq", "pyamqp"), Engine.CELERY_RABBITMQ),
}


def engine_of(app: Any) -> Engine:
    """Redis or RabbitMQ; any other broker is refused, because it would ignore priorities.

    Redis together with RabbitMQ is refused, too: what comes first on one comes last on the other.
    """
    if app.conf.broker_transport:
        names = [str(app.conf.broker_transport)]
    else:  # of every address, and of those that workers read from
        urls = (*broker_urls(app), *_addresses(app.conf.broker_read_url))
        names = list(dict.fromkeys(map(_scheme, urls)))
    first, *others = names
    engine = _engine_named(first)
    for name in others:
        if _engine_named(name) is not engine:
            raise TransportWithoutPriorities(
                f"Celery's broker has addresses of {first!r} and of {name!r}, whose priorities "
                f"have opposite directions. {REMEDY}"
            )
    return engine


def broker_urls(app: Any) -> list[str]:
    """The addresses the app publishes to: the first, or another when that one is down."""
    return _addresses(app.conf.broker_write_url)


def _engine_named(name: str) -> Engine:
    engine = _BY_NAME.get(name)
    if engine is None and ("." in name or ":" in name):  # the path of a transport's class
        engine = _BY_NAME.get(get_transport_cls(name).driver_type)
    if engine is None:
        raise TransportWithoutPriorities(
            f"Celery's transport {name!r} does not keep nine priorities apart. {REMEDY}"
        )
    return engine


def _addresses(given: Any) -> list[str]:
    urls = [given] if isinstance(given, str) else given or ["amqp://"]
    return [one for url in urls for one in str(url).split(";") if one] or ["amqp://"]


def _scheme(url: str) -> str:
    scheme, separator, _ = url.partition("://")
    return scheme.partition("+")[0] if separator else "amqp"


class PrioritiesAreKept(bootsteps.Step):  # type: ignore[misc]  # Celery has no types
    """A transport without priorities ends the worker before it takes its first document."""

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        engine_of(parent.app)
        super().__init__(parent, **kwargs)
