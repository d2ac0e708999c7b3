"""The tasks of an invented portal, as its developers would write them."""

from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any

from django_tasks_db.compat import Task

task = import_module(Task.__module__).task
"""The decorator of whichever framework is there."""


@task(queue_name="documents")
def process(customer_key: str, document_id: str, outcome: str = "done") -> str:
    """A document; the outcome says whether it can be processed."""
    if outcome != "done":
        raise ValueError(outcome)
    return document_id


@task(queue_name="documents")
def count(customer_key: str) -> str:
    """A document that has no id."""
    return customer_key


@task
def hang_once(customer_key: str, document_id: str, mark: str) -> str:
    """A document whose worker never comes back, the first time."""
    if Path(mark).exists():
        Path(mark).unlink()
        Event().wait()
    return document_id


@task(takes_context=True)
def process_with_context(context: Any, customer_key: str, document_id: str) -> str:
    return document_id


@task
def tidy_up(customer_key: str, document_id: str) -> None:
    """No document: it is not listed."""
