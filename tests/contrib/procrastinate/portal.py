"""The jobs of an invented portal, as its developers would write them."""

import asyncio
from pathlib import Path
from threading import Event
from typing import Any

from asgiref.sync import async_to_sync
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app
from procrastinate.utils import utcnow

from doc_priority.contrib.procrastinate import prioritize


@app.task(queue="documents", retry=RetryStrategy(max_attempts=2))
def process(customer_key: str, document_id: str, fails: bool = False) -> None:
    """A document."""
    if fails:
        raise ValueError(document_id)


@app.task(queue="documents")
async def count(customer_key: str) -> None:
    """A document that has no id."""


@app.task(queue="documents", pass_context=True)
def process_with_context(context: Any, customer_key: str, document_id: str) -> None:
    """A document, with the worker's context."""


@app.task(pass_context=True)
def forward(context: Any, customer_key: str, document_id: str) -> None:
    """Not a document: it defers one, from within a worker."""
    process.defer(customer_key=customer_key, document_id=document_id)


@app.task
async def forward_async(customer_key: str, document_id: str) -> None:
    await process.defer_async(customer_key=customer_key, document_id=document_id)


def is_first(mark: str) -> bool:
    """Whether no process has begun this document yet."""
    found = Path(mark).exists()
    Path(mark).unlink(missing_ok=True)
    return found


@app.task(queue="documents", retry=RetryStrategy(max_attempts=3), pass_context=True)
def fail_once(context: Any, customer_key: str, document_id: str, mark: str) -> None:
    """A document that is sent again while it is done the first time, which fails."""
    if is_first(mark):
        fail_once.configure(lock=context.job.lock).defer(**context.job.task_kwargs)
        raise ValueError(document_id)


@app.task(queue="documents", retry=RetryStrategy(max_attempts=3), pass_context=True)
async def fail_once_async(context: Any, customer_key: str, document_id: str, mark: str) -> None:
    if is_first(mark):
        again = fail_once_async.configure(lock=context.job.lock)
        await again.defer_async(**context.job.task_kwargs)
        raise ValueError(document_id)


@app.task(queue="documents")
def hang_once(customer_key: str, document_id: str, mark: str) -> None:
    """A document whose worker never comes back, the first time."""
    if is_first(mark):
        Event().wait()


@app.task(queue="documents")
async def hang_once_async(customer_key: str, document_id: str, mark: str) -> None:
    if is_first(mark):
        await asyncio.Event().wait()


@app.task(queueing_lock="retry_stalled_jobs", pass_context=True)
async def retry_stalled_jobs_async(context: Any, timestamp: int) -> None:
    """As in Procrastinate's documentation."""
    for job in await app.job_manager.get_stalled_jobs():
        await app.job_manager.retry_job(job)


@app.task(queueing_lock="retry_stalled_jobs", pass_context=True)
def retry_stalled_jobs(context: Any, timestamp: int) -> None:
    for job in async_to_sync(app.job_manager.get_stalled_jobs)():
        assert job.id is not None
        app.job_manager.retry_job_by_id(job.id, utcnow())


prioritize(app, count.name, customer="customer_key")
for task in (process, process_with_context, fail_once, fail_once_async, hang_once, hang_once_async):
    prioritize(app, task.name, customer="customer_key", document="document_id")
