"""The task as Django has it."""

from importlib import import_module
from importlib.util import find_spec

from benchmarks.noisy_document import process_document

task = import_module("django.tasks" if find_spec("django.tasks") else "django_tasks").task


@task
def process(customer_key: str, document_id: str) -> None:
    process_document(document_id)
