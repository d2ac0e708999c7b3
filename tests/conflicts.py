"""What a database says to a transaction that it gives up for another one."""

from datetime import UTC, datetime
from typing import Any

from django.db import connection

from doc_priority.models import DocumentDecision


def conflict() -> None:
    """Let this database say so, within a transaction; there must be a customer acme."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")
    decided: Any = {"customer_id": "acme", "document": "INV-1", "pending_documents": 0}
    now = datetime.now(UTC)
    for _ in range(2):
        DocumentDecision.objects.create(**decided, priority=1, decided_at=now)
