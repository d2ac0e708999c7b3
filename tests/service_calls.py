"""What a portal asks the services for, of a customer acme that is there."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from doc_priority import services

WRITES: dict[str, Callable[[], object]] = {
    "check": lambda: services.check("acme"),
    "check with a document": lambda: services.check("acme", document="D"),
    "check_many": lambda: services.check_many(["acme", "new"]),
    "check_many with documents": lambda: services.check_many([("acme", "D")]),
    "reset": lambda: services.reset("acme"),
    "pin": lambda: services.pin("acme", priority=1, until=datetime.now(UTC) + timedelta(hours=1)),
    "forget": lambda: services.forget("acme"),
}
CALLS: dict[str, Callable[[], object]] = {**WRITES, "peek": lambda: services.peek("acme")}
