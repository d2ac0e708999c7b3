"""What `prioritize` adds to an app's configuration, in whichever order that comes to be."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from celery import Celery
from django.test import override_settings

from doc_priority.contrib.celery import prioritize, prioritized
from doc_priority.exceptions import InvalidInput
from tests.contrib.celery.closing import closing


def of_customer(customer: str) -> None:
    """A prioritised task."""


def nothing() -> None:
    """Another task."""


TEN = list(range(10))


class Given:
    """As Django's settings with CELERY_ in front."""

    CELERY_BROKER_URL = "redis://127.0.0.1:6379/15"
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 60}  # noqa: RUF012
    CELERY_TASK_ANNOTATIONS = {  # noqa: RUF012
        "process": {"rate_limit": "5/s"},
        "other": {"rate_limit": "7/s"},
        "*": {"ignore_result": True},
    }


@pytest.fixture
def app() -> Iterator[Celery]:
    with closing(Celery("configured", set_as_current=False)) as made:
        yield made


def prioritize_process(app: Celery) -> None:
    prioritize(app, "process", customer="customer")


def define(app: Celery, **options: Any) -> tuple[Any, Any]:
    process = app.task(name="process", shared=False, **options)(of_customer)
    other = app.task(name="other", shared=False)(nothing)
    return process, other


def read_settings(app: Celery) -> None:
    app.config_from_object(Given(), namespace="CELERY")


ORDERS = {
    "before": lambda app: (prioritize_process(app), read_settings(app)),
    "after": lambda app: (read_settings(app), prioritize_process(app)),
    "after it was read": lambda app: (
        read_settings(app),
        app.conf.broker_url,
        prioritize_process(app),
    ),
    "read again": lambda app: (prioritize_process(app), app.conf.broker_url, read_settings(app)),
}


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_does_not_matter(app: Celery, order: str) -> None:
    process, other = define(app)
    ORDERS[order](app)
    assert app.conf.broker_transport_options == {"visibility_timeout": 60, "priority_steps": TEN}
    assert app.conf.worker_prefetch_multiplier == 1
    assert (process.acks_late, process.reject_on_worker_lost) == (True, True)
    assert (process.rate_limit, other.rate_limit) == ("5/s", "7/s")
    assert (process.ignore_result, other.ignore_result) == (True, True)
    assert not other.acks_late
    assert not other.reject_on_worker_lost


def test_nothing_is_read_too_early(app: Celery) -> None:
    prioritize_process(app)
    assert not app.configured
    assert not app.finalized


def test_what_the_portal_set_stays(app: Celery) -> None:
    app.conf.update(
        broker_transport_options={"priority_steps": [0, 5]},
        task_queue_max_priority=20,
        worker_prefetch_multiplier=3,
        task_acks_late=False,
        task_reject_on_worker_lost=False,
    )
    process, _ = define(app)
    prioritize_process(app)
    assert app.conf.broker_transport_options == {"priority_steps": [0, 5]}
    assert app.conf.task_queue_max_priority == 20
    assert app.conf.worker_prefetch_multiplier == 3
    assert (process.acks_late, process.reject_on_worker_lost) == (False, False)


def given(**said: Any) -> Any:
    """Django's settings, of which Celery reads those with CELERY_ in front."""
    return SimpleNamespace(CELERY_BROKER_URL="redis://127.0.0.1:6379/15", **said)


@pytest.fixture(params=["before", "after", "after it was read"])
def from_object(request: pytest.FixtureRequest, app: Celery) -> Any:
    """Reads settings in Django's way, before and after `prioritize`."""

    def read(settings: Any, namespace: str | None = "CELERY") -> tuple[Any, Any]:
        process, other = define(app)
        if request.param == "before":
            prioritize_process(app)
        app.config_from_object(settings, namespace=namespace)
        if request.param == "after it was read":
            app.conf.finalize()
        if request.param != "before":
            prioritize_process(app)
        return process, other

    return read


@pytest.mark.parametrize("multiplier", [0, 1, 2, 8])
def test_the_prefetch_of_djangos_settings_stays(
    app: Celery, from_object: Any, multiplier: int
) -> None:
    from_object(given(CELERY_WORKER_PREFETCH_MULTIPLIER=multiplier))
    assert app.conf.worker_prefetch_multiplier == multiplier


@pytest.mark.parametrize("late", [True, False])
def test_the_acknowledgement_of_djangos_settings_stays(
    app: Celery, from_object: Any, late: bool
) -> None:
    process, other = from_object(given(CELERY_TASK_ACKS_LATE=late))
    assert app.conf.task_acks_late is late
    assert (process.acks_late, other.acks_late) == (late, late)


def test_the_maximum_priority_of_djangos_settings_stays(app: Celery, from_object: Any) -> None:
    from_object(given(CELERY_TASK_QUEUE_MAX_PRIORITY=20))
    assert app.conf.task_queue_max_priority == 20


@override_settings(CELERY_WORKER_PREFETCH_MULTIPLIER=4, CELERY_TASK_ACKS_LATE=True)
def test_djangos_own_settings_object(app: Celery, from_object: Any) -> None:
    _, other = from_object("django.conf:settings")
    assert app.conf.worker_prefetch_multiplier == 4
    assert other.acks_late is True


def test_settings_of_the_old_names_stay(app: Celery, from_object: Any) -> None:
    old = SimpleNamespace(CELERYD_PREFETCH_MULTIPLIER=8, CELERY_ACKS_LATE=True)
    process, other = from_object(old, namespace=None)
    assert app.conf.worker_prefetch_multiplier == 8
    assert (process.acks_late, other.acks_late) == (True, True)


def test_settings_that_say_nothing_are_completed(app: Celery, from_object: Any) -> None:
    process, other = from_object(given())
    assert app.conf.worker_prefetch_multiplier == 1
    assert process.acks_late
    assert not other.acks_late


@pytest.mark.parametrize("name", ["task", "customer", "document"])
def test_something_else_than_a_name_is_refused(app: Celery, name: str) -> None:
    process, _ = define(app)
    names = {"task": "process", "customer": "customer", "document": "", name: process}
    with pytest.raises(TypeError, match=f"{name}=<@task: process") as refused:
        prioritize(app, **names)
    assert ("process.name" in str(refused.value)) == (name == "task")
    assert prioritized.tasks_of(app) == {}


def test_a_function_is_refused_where_a_task_is_named(app: Celery) -> None:
    with pytest.raises(TypeError, match=r"process\.name"):
        prioritize(app, print, customer="customer")


@pytest.mark.parametrize("name", ["task", "customer"])
def test_an_empty_name_is_refused(app: Celery, name: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name}=''"):
        prioritize(app, **{"task": "process", "customer": "customer", name: ""})


def test_what_the_task_says_stays(app: Celery) -> None:
    process, _ = define(app, acks_late=False, reject_on_worker_lost=False)
    prioritize_process(app)
    assert (process.acks_late, process.reject_on_worker_lost) == (False, False)


def test_a_portal_that_acknowledges_late_everywhere(app: Celery) -> None:
    app.conf.task_acks_late = True
    process, other = define(app)
    prioritize_process(app)
    assert process.acks_late
    assert other.acks_late
