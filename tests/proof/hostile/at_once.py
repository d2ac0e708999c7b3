"""Many who make the same at one moment: one of them makes it, and each other learns why not."""

from functools import partial

from django.test import override_settings

from tests.concurrency.crowd import in_threads
from tests.proof.hostile.difference import difference
from tests.proof.hostile.making import MADE, REFUSED, WAYS, Ask, Way
from tests.proof.hostile.scene import empty_portal, stored, superuser
from tests.proof.hostile.tried import Tried

CROWD = 8
PATIENT = {"LOCK_TIMEOUT_MS": 20_000}
"""So that nobody is told to come back, however busy the machine is."""


def made_once(*, rounds: int) -> Tried:
    """In each way there is, so often."""
    tried = Tried("answers, and what was stored")
    with empty_portal(), override_settings(DOC_PRIORITY=PATIENT):
        user = superuser()
        for way in WAYS:
            asks = [way.asking(user) for _ in range(CROWD)]
            for number in range(rounds):
                _expect_one(tried, way, asks, f"new-{WAYS.index(way)}-{number}")
    return tried


def _expect_one(tried: Tried, way: Way, asks: list[Ask], name: str) -> None:
    before = stored()
    answers = in_threads([partial(ask, name) for ask in asks])
    for answer in answers:
        tried.expect(answer in (MADE, REFUSED), f"{way.title}: {answer}")
    tried.expect(answers.count(MADE) == 1, f"{way.title}: {answers.count(MADE)} have made it")
    seen = difference(before, stored())
    tried.expect(seen == way.stores, f"{way.title}: stored {seen}, not {way.stores}")
