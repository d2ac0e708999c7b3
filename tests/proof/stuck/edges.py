"""A counter at the lowest number it knows stays there, and a check is never an error."""

from collections.abc import Callable

from doc_priority import services
from doc_priority.models import Counter
from doc_priority.types import FLOOR, WORST_PRIORITY, Decision
from tests.proof.stuck.site import Site
from tests.proof.suite import Trial

CHECKS = 10

WAYS: dict[str, Callable[[], list[Decision]]] = {
    "check": lambda: [services.check("deep") for _ in range(CHECKS)],
    "check with a document": lambda: [
        services.check("deep", document=f"D-{number}") for number in range(CHECKS)
    ],
    "check_many": lambda: services.check_many(["deep"] * CHECKS),
    "check_many with documents": lambda: services.check_many(
        [("deep", f"M-{number}") for number in range(CHECKS)]
    ),
}


def go_to_the_floor(trial: Trial, site: Site) -> None:
    services.check("deep")
    wrong = [name for name, way in WAYS.items() if not _stays(way)]
    answers = {site.ask("POST", "customers/deep/check/", {}) for _ in range(CHECKS)}
    stored = Counter.objects.get(customer="deep").pending_documents
    trial.find(
        "A counter stops at its lowest number, without an error",
        asked=f"{CHECKS} checks each way from {FLOOR + 3:,}, all end at {FLOOR:,}",
        seen=f"{len(WAYS) - len(wrong)} of {len(WAYS)} ways, REST {', '.join(answers)}, "
        f"then {stored:,}",
        held=not wrong and answers == {"200"} and stored == FLOOR,
    )


def _stays(way: Callable[[], list[Decision]]) -> bool:
    """The counter goes on to the floor, and then no further, always at the worst priority."""
    Counter.objects.filter(customer="deep").update(pending_documents=FLOOR + 3)
    decisions = way()
    counts = [decision.pending_documents for decision in decisions]
    due = [max(FLOOR + 2 - number, FLOOR) for number in range(CHECKS)]
    return counts == due and {one.priority for one in decisions} == {WORST_PRIORITY}
