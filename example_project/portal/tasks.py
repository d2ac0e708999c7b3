"""A document as a Django task. How its priority is found is in the settings: TASKS."""

from example_project.portal.processing import process_document

try:
    from django.tasks import task
except ImportError:  # Django before 6.0
    from django_tasks import task  # type: ignore[no-redef]  # there is one of them only


@task()
def process(client_key: str, reference: str) -> None:
    """Process one document of a client."""
    process_document(client_key, reference)
