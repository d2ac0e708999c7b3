"""Django tasks, in the portal's own database."""

from collections.abc import Sequence
from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from doc_priority.contrib.tasks.recovering import put_back_abandoned
from example_project.portal.tasks import process


class DjangoTasks:
    """A document, its charge and its task are one transaction: all of them or none."""

    name = "Django tasks in the database"
    order = _(
        "The worker takes the document at place 1 next: the best priority first, within 9 whoever "
        "sent less, and among equals whoever came first."
    )
    worker = ("django", "db_worker", "--interval", "0.3", "--no-startup-delay")

    def require(self) -> None:
        """Wherever the portal's database is, this is."""

    def put(self, client_key: str, references: Sequence[str]) -> list[int]:
        results = [
            process.enqueue(client_key=client_key, reference=reference) for reference in references
        ]
        # A higher number goes first.
        return [-result.task.priority for result in results]

    def put_back_abandoned(self, *, older_than: timedelta) -> None:
        put_back_abandoned(older_than=older_than)

    def empty(self) -> None:
        """Nothing is queued outside of the database."""
