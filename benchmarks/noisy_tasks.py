"""The task of `benchmarks.noisy_portal`, as its engine has it; without priorities no adapter."""

from importlib import import_module
from importlib.util import find_spec

import django
from celery import Celery
from django.conf import settings

from benchmarks.noisy_portal import FIRST_IN_FIRST_OUT, TASK, plan, work

app = Celery("noisy", broker=f"redis://127.0.0.1:{settings.REDIS['volatile']}/0")
app.conf.update(task_ignore_result=True, worker_prefetch_multiplier=1, task_acks_late=True)


def process(customer: str, document: str) -> None:
    work(document)


if plan().engine == "tasks":
    task = import_module("django.tasks" if find_spec("django.tasks") else "django_tasks").task
    process = task(process)
else:
    django.setup()
    process = app.task(name=TASK)(process)
    if plan().discipline != FIRST_IN_FIRST_OUT:
        from doc_priority.contrib.celery import prioritize

        prioritize(app, TASK, customer="customer", document="document")
