"""Documents are begun in the order of their priorities, and only because of the adapter."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from doc_priority import services
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.portal import Terms
from tests.contrib.celery.workers import lines, lines_once, worker
from tests.contrib.order import inversions

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite]

DOCUMENTS = 500
LEVELS = range(1, 10)


def pin_one_customer_to_each_level() -> None:
    """Their keys are the levels."""
    until = datetime.now(UTC) + timedelta(hours=1)
    for priority in LEVELS:
        services.check(str(priority))
        services.pin(str(priority), priority=priority, until=until, reason="test")


def send_mixed(app: Any) -> None:
    """Documents whose ids begin with the level of their customer."""
    draw = random.Random(5)
    process = app.tasks["portal.process"]
    for number in range(DOCUMENTS):
        level = draw.choice(LEVELS)
        process.delay(str(level), f"{level}-{number}")


def levels_of(begun: list[dict[str, Any]]) -> list[int]:
    return [int(line["document"].partition("-")[0]) for line in begun]


def test_static(make_portal: MakePortal, broker: str) -> None:
    pin_one_customer_to_each_level()
    app, terms = make_portal(broker)
    send_mixed(app)
    with worker(terms):
        begun = lines_once(terms, DOCUMENTS)
    assert len({line["document"] for line in begun}) == DOCUMENTS
    assert inversions(levels_of(begun)) == 0
    assert all(
        line["told"]["priority"] == level
        for line, level in zip(begun, levels_of(begun), strict=True)
    )


def test_static_without_the_adapter(make_portal: MakePortal, broker: str) -> None:
    app, terms = make_portal(broker, prioritized=False)
    send_mixed(app)
    with worker(terms):
        begun = lines_once(terms, DOCUMENTS)
    assert inversions(levels_of(begun)) > 10_000


@pytest.mark.parametrize("processes", [1, 2])
def test_live(make_portal: MakePortal, broker: str, processes: int) -> None:
    pin_one_customer_to_each_level()
    app, terms = make_portal(broker)
    process = app.tasks["portal.process"]
    for number in range(40):
        process.delay("9", f"9-{number}", waits=True)
    with worker(terms, "--pool=prefork", f"--concurrency={processes}"):
        lines_once(terms, processes)
        for level in (5, 2, 1, 1, 1):
            process.delay(str(level), f"{level}-urgent-{random.random()}")
        open_gate(terms)
        begun = levels_of(lines_once(terms, 45))
    assert begun[:processes] == [9] * processes
    # The last urgent one and a 9 may begin side by side, and note it in either order.
    next_ones = begun[processes : processes + 5 + (processes - 1)]
    assert sorted(next_ones)[:5] == [1, 1, 1, 2, 5]


def open_gate(terms: Terms) -> None:
    assert len(lines(terms)) < 40
    Path(terms.gate).touch()
