"""The task as Celery has it, on Redis; without priorities the adapter is left out."""

import django
from celery import Celery

from benchmarks.noisy_document import process_document
from benchmarks.noisy_plan import Plan
from benchmarks.run import Run

TASK = "benchmarks.noisy_celery.process"

django.setup()
app = Celery("noisy", broker=f"redis://127.0.0.1:{Run.current().redis['volatile']}/0")
app.conf.update(task_ignore_result=True, worker_prefetch_multiplier=1, task_acks_late=True)


@app.task(name=TASK)
def process(customer_key: str, document_id: str) -> None:
    process_document(document_id)


if Plan.current().has_priorities:
    from doc_priority.contrib.celery import prioritize

    prioritize(app, TASK, customer="customer_key", document="document_id")
