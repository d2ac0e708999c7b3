"""Which suites there are, in the order in which they run."""

from typing import Any

from tests.proof.counting.suite import COUNTING
from tests.proof.crash.suite import CRASH
from tests.proof.deadlocks.suite import DEADLOCKS
from tests.proof.lost_answers.suite import LOST_ANSWERS
from tests.proof.scale.suite import SCALE
from tests.proof.soak.suite import SOAK
from tests.proof.stuck.suite import STUCK
from tests.proof.suite import Suite

SUITES: dict[str, Suite[Any]] = {
    suite.name: suite
    for suite in (
        COUNTING,
        CRASH,
        LOST_ANSWERS,
        STUCK,
        DEADLOCKS,
        SCALE,
        SOAK,
    )
}
