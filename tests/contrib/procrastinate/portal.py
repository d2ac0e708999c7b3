"""The jobs of an invented portal, as its developers would write them."""

from typing import Any

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from doc_priority.contrib.procrastinate import prioritize

done: list[tuple[str, str]] = []
"""What a worker of this process did."""


@app.task(queue="documents", retry=RetryStrategy(max_attempts=2))
def process(customer_key: str, document_id: str, fails: bool = False) -> None:
    """A document."""
    done.append((customer_key, document_id))
    if fails:
        raise ValueError(document_id)


@app.task(queue="documents")
async def count(customer_key: str) -> None:
    """A document that has no id."""


@app.task(queue="documents", pass_context=True)
def process_with_context(context: Any, customer_key: str, document_id: str) -> None:
    """A document, and who does it."""


@app.task(pass_context=True)
def forward(context: Any, customer_key: str, document_id: str) -> None:
    """No document, but it defers one, from within a worker."""
    process.defer(customer_key=customer_key, document_id=document_id)


@app.task
async def forward_async(customer_key: str, document_id: str) -> None:
    """The same in async code."""
    await process.defer_async(customer_key=customer_key, document_id=document_id)


prioritize(
    app,
    "tests.contrib.procrastinate.portal.process",
    customer="customer_key",
    document="document_id",
)
prioritize(app, "tests.contrib.procrastinate.portal.count", customer="customer_key")
prioritize(app, process_with_context.name, customer="customer_key", document="document_id")
