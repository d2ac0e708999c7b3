"""What `prioritize` adds to the app's configuration, on publishers and workers.

Both import the portal's Celery module, so both get it. Nothing is read before the app itself reads
its configuration. What the portal set stays, except waits that are longer than PUBLISH_TIMEOUT_MS.
"""

from dataclasses import dataclass
from typing import Any

from celery.app import annotations
from celery.utils.functional import firstmethod
from celery.utils.text import match_case

from doc_priority.contrib.celery import queues
from doc_priority.contrib.celery.registry import Tasks, tasks_of
from doc_priority.contrib.celery.timeouts import timeouts

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
    """Add the settings that are missing; a receiver of the app's `on_after_configure`."""
    _add_defaults(source)
    for name, value in timeouts(sender, source).items():
        _set(source, name, value)
    options = {"priority_steps": STEPS, **source.broker_transport_options}
    _set(source, "broker_transport_options", options)
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


def _set(source: Any, name: str, value: Any) -> None:
    """Put a value before what the portal's settings say.

    Celery 5.6 looks for the name with the namespace (CELERY_…) in all maps of the configuration,
    and only then for the bare one in any. So there a bare name in the first map loses against the
    portal's settings in a later one, and the other name has to be written as well.
    """
    source[name] = value
    if source.prefix:
        source[match_case(source.prefix + name, source.prefix)] = value
