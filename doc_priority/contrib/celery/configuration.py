"""What must stand in the app's configuration, on publisher and worker alike?

Both import the portal's Celery module, so both get it. Nothing is read before the app itself reads
its configuration, and what the portal set there stays as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from celery.app import annotations
from celery.utils.functional import firstmethod
from celery.utils.text import match_case

from doc_priority.contrib.celery import maxima, prioritized, results
from doc_priority.contrib.celery.prioritized import Tasks

STEPS = list(range(10))

_first_annotation = firstmethod("annotate")


@dataclass(frozen=True, slots=True)
class LateAcknowledgement:
    """An annotation: prioritised tasks acknowledge late unless somebody said otherwise.

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
        return {**late, **(_first_annotation(self.others, task) or {})}


def complete(app: Any) -> None:
    """Put in what is missing as soon as the app has read its configuration."""
    app.on_after_configure.connect(_complete)
    if app.configured:
        _complete(app, source=app.conf)


def _complete(sender: Any, *, source: Any, **kwargs: Any) -> None:
    _add_defaults(source)
    options = source.broker_transport_options or {}
    if "priority_steps" not in options:
        _set(source, "broker_transport_options", {**options, "priority_steps": STEPS})
    others = tuple(annotations.prepare(source.task_annotations))
    late = LateAcknowledgement(prioritized.tasks_of(sender), others)
    _set(source, "task_annotations", (late, *others))
    vars(sender).pop("annotations", None)  # the app may have prepared the old ones
    maxima.give_to_queues_of(sender)
    results.keep_to_time(sender)


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


def _set(source: Any, name: str, value: Any) -> None:
    """Put a value before what the portal's settings say.

    Celery 5.6 looks for the name with the namespace (CELERY_…) in all maps of the configuration,
    and only then for the bare one in any. So there a bare name in the first map loses against the
    portal's settings in a later one, and the other name has to be written as well.
    """
    source[name] = value
    if source.prefix:
        source[match_case(source.prefix + name, source.prefix)] = value


def quorum_queues(conf: Any) -> Iterator[str]:
    """Queues that the portal declares as quorum queues, which refuse a maximum priority."""
    if conf.task_default_queue_type == "quorum":
        yield str(conf.task_default_queue)
    if conf.task_create_missing_queue_type == "quorum":
        yield "task_create_missing_queue_type"
    for name, arguments in declared_queues(conf):
        if arguments.get("x-queue-type") == "quorum":
            yield name


def declared_queues(conf: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The queues of `task_queues`, given as kombu's or as a dict, and their arguments."""
    given = conf.task_queues or ()
    if isinstance(given, Mapping):
        for name, options in given.items():
            yield name, _arguments_of(options)
    else:
        for queue in given:
            yield queue.name, _arguments_of(queue)


def _arguments_of(queue: Any) -> dict[str, Any]:
    if isinstance(queue, Mapping):
        arguments, highest = queue.get("queue_arguments"), queue.get("max_priority")
    else:
        arguments, highest = queue.queue_arguments, queue.max_priority
    return {**({} if highest is None else {"x-max-priority": highest}), **(arguments or {})}
