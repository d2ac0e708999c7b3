"""A document as a Celery task. How its priority is found is said in `example_project.celery`."""

from example_project.celery import app
from example_project.portal.processing import process_document


@app.task  # type: ignore[untyped-decorator]  # Celery has no types
def process(client_key: str, reference: str) -> None:
    """Process one document of a client."""
    process_document(client_key, reference)
