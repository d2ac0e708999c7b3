"""Celery: two lines in the portal's Celery module, and every document has its priority.

from doc_priority.shortening import shortened
from doc_priority.contrib.celery import prioritize

app = Celery("portal")
prioritize(app, "portal.tasks.process", customer="customer_key", document="document_id")
"""

from doc_priority.extras import require

require("celery", "celery")

from typing import TYPE_CHECKING

from celery.local import Proxy

from doc_priority.contrib.calls import PrioritizedTask, add_task
from doc_priority.contrib.celery import (
    checks,
    configuration,
    maxima,
    prioritized,
    sending,
    workers,
)
from doc_priority.exceptions import InvalidInput
from doc_priority.shortening import shortened

if TYPE_CHECKING:
    from celery import Celery

__all__ = ["prioritize"]


def prioritize(app: "Celery", task: str, *, customer: str, document: str = "") -> None:
    """Let every call of this task, by whatever way, ask for its priority and be sent at it.

    `customer` and `document` are the names of the task's arguments. A task may be named twice in
    the same words.
    """
    _refuse_other_than_names(task=task, customer=customer, document=document)
    if isinstance(app, Proxy):  # `celery.current_app` stands for the app
        app = app._get_current_object()
    tasks = prioritized.tasks_of(app)
    if not tasks:
        checks.register()
        configuration.complete(app)
        workers.refuse_transports_without_priorities(app)
        sending.intercept(app, tasks)
    add_task(tasks, PrioritizedTask(task, customer, document))
    if app.configured:
        maxima.give_to_queues_of(app)


def _refuse_other_than_names(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, str):
            remedy = "process.name" if name == "task" else "the argument's name"
            raise TypeError(
                f"prioritize() has {name}={shortened(value)}, a {type(value).__name__}, and needs "
                f"text: give it {remedy}."
            )
        if not value and name != "document":
            raise InvalidInput(
                f"prioritize() has {name}='': name the task, and its argument that is the "
                "customer's key."
            )
