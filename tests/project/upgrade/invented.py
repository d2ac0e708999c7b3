"""What the kept databases hold: invented rows in every table, written as a portal would."""

from datetime import UTC, datetime, timedelta

from doc_priority import services
from doc_priority.models import Counter
from doc_priority.types import FLOOR

THEN = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
"""When the documents came."""
FAR = datetime(2099, 1, 1, tzinfo=UTC)
"""When the pin ends."""
USUAL = (-2, -4, -6, -8, -10, -12, -14, -20)


def fill() -> None:
    """Fill an empty database; what the tests of an upgrade expect of it stays in later versions."""
    services.create_policy(
        "gold", reset_interval=600, recovery="halving", thresholds=range(-10, -18, -1)
    )
    services.create_policy("patient", reset_interval=86_400, recovery="window", thresholds=USUAL)
    services.create_policy("unused", reset_interval=10, recovery="idle", thresholds=USUAL)
    services.delete_policy("unused", actor="ops", reason="Nobody has it")

    services.create_customer("acme", name="Acme")
    services.create_customer("birch", name="Birch & Söhne “🌲”", policy="gold")
    services.create_customer("cedar", name="O'Cedar 100 %", policy="patient")
    services.create_customer("new", name="Never sent a document")
    for key in ("Dahlia", "dahlia", "a.b_c~d:e@f-9"):
        services.create_customer(key)
    floor = services.create_customer("floor")
    Counter.objects.create(
        customer=floor, pending_documents=FLOOR, updated_at=THEN, recovered_at=THEN
    )
    lapsed = services.create_customer("lapsed", name="Had a pin once")
    Counter.objects.create(
        customer=lapsed, pinned_priority=3, pinned_until=THEN + timedelta(hours=1)
    )

    services.check_many(["acme"] * 24, at=THEN)
    services.check("acme", document="INV-2041", at=THEN + timedelta(microseconds=1))
    services.check_many([("birch", f"Lieferschein {number}") for number in range(40)], at=THEN)
    services.check("cedar", document="księga/№ 7", at=THEN)
    services.check("cedar", document="next day", at=THEN + timedelta(days=2))
    services.check("Dahlia", at=THEN)
    services.check_many(["dahlia"] * 4, at=THEN)
    services.check("a.b_c~d:e@f-9", document="INV-2041", at=THEN)

    services.pin("dahlia", priority=2, until=FAR, actor="ops", reason="Contract")
    services.check("dahlia", document="pinned", at=THEN + timedelta(minutes=1))
    services.pin("cedar", priority=9, until=FAR, actor="ops")
    services.unpin("cedar", actor="ops", reason="By mistake", source="admin")
    services.reset("Dahlia", actor="ops", reason="Import ran twice", at=THEN)
    services.set_policy("acme", policy="gold", actor="ops", reason="Trial")
    services.set_policy("acme", policy=None, actor="ops", reason="Trial ended")
    services.change_policy("patient", reset_interval=43_200, actor="ops", reason="Less patient")
    services.check_many([("gone", "1"), ("gone", "2")], at=THEN)
    services.forget("gone", actor="ops", reason="Left us")
