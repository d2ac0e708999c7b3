"""What must work with each extra; the empty name is the package alone."""

from collections.abc import Callable, Mapping

from tests.wheel.declared import extras
from tests.wheel.portal import Portal
from tests.wheel.trials import (
    api,
    celery,
    demo,
    opentelemetry,
    plain,
    procrastinate,
    prometheus,
    tasks,
)

TRIALS: Mapping[str, Callable[[Portal], None]] = {
    "": plain.try_it,
    "api": api.try_it,
    "celery": celery.try_it,
    "demo": demo.try_it,
    "opentelemetry": opentelemetry.try_it,
    "procrastinate": procrastinate.try_it,
    "prometheus": prometheus.try_it,
    "tasks": tasks.try_it,
}


def untried() -> set[str]:
    """Extras without a trial, and trials of an extra that there is not."""
    return {"", *extras()} ^ set(TRIALS)
