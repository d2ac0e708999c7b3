"""Jobs and apps of a test are removed after it."""

from collections.abc import Iterator

import pytest
from django.db import connection

from doc_priority.contrib.procrastinate.job_manager import managers, postponed

# Procrastinate runs on PostgreSQL only, and its tasks are declared as they are imported.
collect_ignore_glob = [] if connection.vendor == "postgresql" else ["test_*.py"]


@pytest.fixture(autouse=True)
def forget_apps_and_jobs(db: None) -> Iterator[None]:
    """Django does not empty tables of models that it does not manage."""
    before = set(managers)
    yield
    for manager in set(managers) - before:
        managers.discard(manager)
    postponed.clear()
    if not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE procrastinate_jobs, procrastinate_workers CASCADE")
