"""Celery: two lines in the portal's Celery module, and every document has its priority.

from doc_priority.contrib.celery import prioritize

app = Celery("portal")
prioritize(app, "portal.tasks.process", customer="customer_key", document="document_id")
"""

from doc_priority.extras import require

require("celery", "celery")

from celery import Celery
from celery.app.task import Task
from celery.local import Proxy
from celery.signals import before_task_publish
from django.core.checks import register

from doc_priority.check_messages import TAG
from doc_priority.contrib.calls import RAISE, PrioritizedTask, Where, add_task
from doc_priority.contrib.celery import broker, configuration, queues, registry
from doc_priority.contrib.celery.broker_checks import check_broker
from doc_priority.contrib.celery.checks import check_configuration
from doc_priority.contrib.celery.sending import PrioritySender
from doc_priority.exceptions import InvalidInput
from doc_priority.validation import shortened

__all__ = ["prioritize"]


def prioritize(
    app: Celery, task: str, *, customer: Where, document: Where = "", missing: str = RAISE
) -> None:
    """Give every call of this task, however it is sent, the priority of its customer.

    `customer` and `document` tell where a call has them: the name of an argument, a path from one
    ("overrides.owner_id"), or a function of the call's arguments by their names. `missing` says
    what becomes of a call without a customer: "raise", "unprioritised" (it is sent as if nobody had
    asked), or a key that stands for all of them. A task may be named twice in the same words.
    """
    _refuse_other_than_names(task=task, customer=customer, document=document)
    if isinstance(app, Proxy):  # `celery.current_app`; Celery has no public name for what it is
        app = app._get_current_object()
    tasks = registry.tasks_of(app)
    if not tasks:
        register(check_configuration, TAG)  # Django keeps each check once
        register(check_broker, TAG, deploy=True)
        app.on_after_configure.connect(configuration.complete)
        if app.configured:
            configuration.complete(app, source=app.conf)
        app.steps["worker"].add(broker.PrioritiesAreKept)
        app.send_task = PrioritySender(app, tasks)
    add_task(tasks, PrioritizedTask(task, customer, document, missing))
    before_task_publish.connect(queues.warn_of_queues_without_levels, sender=task)
    if app.configured:
        queues.give_levels(app)


def _refuse_other_than_names(**given: object) -> None:
    for name, value in given.items():
        is_function = callable(value) and not isinstance(value, Task | Proxy)
        if not isinstance(value, str) and (name == "task" or not is_function):
            remedy = "process.name" if name == "task" else "the argument's name, or a function"
            raise TypeError(
                f"prioritize() has {name}={shortened(value)}, of type {type(value).__name__}, "
                f"and needs text: give it {remedy}."
            )
        if not value and name != "document":
            raise InvalidInput(
                f"prioritize() has {name}='': name the task, and its argument that is the "
                "customer's key."
            )
