"""What many users do in a simulated day, drawn from a seed.

Not hypothesis's RuleBasedStateMachine: a run there has no seed of its own that could be printed
and run again by itself, drawing a step takes longer than the check it is about, and what makes
the steps worth drawing, moments at the very edges of rules, needs the model's eyes. So steps are
drawn here, from `random.Random(seed)`, by looking at the model, and are fixed once drawn.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from tests.proof.simulation import drawing
from tests.proof.simulation.model import Model
from tests.proof.simulation.moments import next_moment
from tests.proof.simulation.operations import START, Operation
from tests.proof.simulation.reckoning import FLOOR

WEIGHTS = {
    "check": 40,
    "clock": 16,
    "check_document": 10,
    "peek": 6,
    "check_many": 5,
    "live": 0.4,
    "reset": 2,
    "pin": 2,
    "set_policy": 2,
    "change_policy": 2,
    "stored": 1.5,
    "settings": 1.5,
    "put": 1.5,
    "create_policy": 1,
    "reset_many": 1,
    "pin_many": 1,
    "unpin": 1,
    "prune": 1,
    "forget": 0.8,
    "unpin_many": 0.6,
    "create_customer": 0.6,
    "overview": 0.15,
    "delete_policy": 0.5,
}
BURST = 0.08
"""So often the same check is asked for again and again."""


def invent(seed: int, *, length: int) -> list[Operation]:
    """The steps of this seed; all that is stored and shown is looked at last."""
    author = Inventor(seed)
    operations = author.first_operations()
    while len(operations) < length - 1:
        operations += author.next_operations()
    return [*operations[: length - 1], Operation("stored", {})]


class Inventor:
    """Who draws the steps, and sees in a model of its own where everybody stands."""

    def __init__(self, seed: int) -> None:
        self._random = random = Random(seed)
        self._model = Model()
        self._customers = random.sample(drawing.CUSTOMERS, random.randint(1, 6))
        self._policies = [f"{seed} {name}" for name in drawing.POLICIES[: random.randint(1, 4)]]
        # Every day has a mood: what is done often in one is hardly done in another.
        weights = [weight * random.choice((0.3, 1, 1, 3)) for weight in WEIGHTS.values()]
        self._draw = partial(random.choices, list(WEIGHTS), weights)

    def first_operations(self) -> list[Operation]:
        """The portal has its settings, and often policies."""
        kinds = ["settings", *["create_policy"] * self._random.randint(0, 3)]
        return [self._drawn(kind) for kind in kinds]

    def next_operations(self) -> list[Operation]:
        (kind,) = self._draw()
        operation = self._drawn(kind)
        repeats = 0
        if kind in ("check", "check_document", "peek") and self._random.random() < BURST:
            repeats = self._random.randint(1, 25)
        for _ in range(repeats):
            self._model.perform(operation)
        return [operation] * (1 + repeats)

    def _drawn(self, kind: str) -> Operation:
        """The model has done it, so that the next one is drawn from where it leads."""
        draw: Callable[[], Operation] = getattr(self, f"_{kind}")
        operation = draw()
        self._model.perform(operation)
        return operation

    def _clock(self) -> Operation:
        return Operation("clock", {"to": next_moment(self._random, self._model)})

    def _check(self) -> Operation:
        return Operation("check", self._one() | self._at() | self._must_exist())

    def _check_document(self) -> Operation:
        document = self._random.choice(drawing.DOCUMENTS)
        named = {"document": document}
        return Operation("check", self._one() | named | self._at() | self._must_exist())

    def _check_many(self) -> Operation:
        items = drawing.items(self._random, self._customers)
        return Operation("check_many", {"items": items} | self._at() | self._must_exist())

    def _peek(self) -> Operation:
        return Operation("peek", self._one() | self._at())

    def _live(self) -> Operation:
        return Operation("live", self._at())

    def _overview(self) -> Operation:
        return Operation("overview", self._at())

    def _stored(self) -> Operation:
        return Operation("stored", {})

    def _prune(self) -> Operation:
        return Operation("prune", {"batch_size": self._random.choice((1, 2, 1000))})

    def _reset(self) -> Operation:
        return Operation("reset", self._one() | self._author() | self._at())

    def _reset_many(self) -> Operation:
        return Operation("reset_many", self._some() | self._author() | self._at())

    def _pin(self) -> Operation:
        return Operation("pin", self._one() | self._held() | self._author())

    def _pin_many(self) -> Operation:
        return Operation("pin_many", self._some() | self._held() | self._author())

    def _unpin(self) -> Operation:
        return Operation("unpin", self._one() | self._author())

    def _unpin_many(self) -> Operation:
        return Operation("unpin_many", self._some() | self._author())

    def _forget(self) -> Operation:
        return Operation("forget", self._one() | self._author())

    def _create_customer(self) -> Operation:
        policy = self._random.choice([None, *self._policies])
        return Operation("create_customer", self._one() | {"policy": policy})

    def _set_policy(self) -> Operation:
        policy = self._random.choice([None, *self._policies])
        return Operation("set_policy", self._one() | {"policy": policy} | self._author())

    def _create_policy(self) -> Operation:
        terms = drawing.terms(self._random)
        return Operation("create_policy", self._named() | terms | self._author())

    def _change_policy(self) -> Operation:
        terms = drawing.some_of(self._random, drawing.terms(self._random))
        return Operation("change_policy", self._named() | terms | self._author())

    def _delete_policy(self) -> Operation:
        return Operation("delete_policy", self._named() | self._author())

    def _settings(self) -> Operation:
        values = drawing.some_of(self._random, drawing.settings(self._random))
        return Operation("settings", values)

    def _put(self) -> Operation:
        """Where counting would take too long to arrive, or right beside a threshold."""
        edges = (FLOOR, FLOOR + 2, FLOOR + 20, -(2**20), -21, -15, *range(-3, 1))
        # What the portal imports was last updated in the past.
        at = self._model.now - self._random.choice((0, 0, 1, 10**6, self._random.randrange(10**9)))
        count = self._random.choice(edges)
        return Operation("put", self._one() | {"count": count, "at": max(at, START)})

    def _one(self) -> dict[str, Any]:
        return {"customer": self._random.choice(self._customers)}

    def _some(self) -> dict[str, Any]:
        count = self._random.randint(0, 4)
        known = sorted(self._model.customers) or self._customers
        # Repeats on purpose; somebody unknown now and then.
        keys = known if self._random.random() < 0.8 else self._customers
        return {"customers": self._random.choices(keys, k=count)}

    def _named(self) -> dict[str, Any]:
        return {"name": self._random.choice(self._policies)}

    def _at(self) -> dict[str, Any]:
        if self._random.random() < 0.8:
            return {}
        return {"at": next_moment(self._random, self._model)}

    def _must_exist(self) -> dict[str, Any]:
        return {"must_exist": True} if self._random.random() < 0.05 else {}

    def _held(self) -> dict[str, Any]:
        moment = max(next_moment(self._random, self._model), self._model.now)
        seconds = self._random.choice((0, 1, 60 * 10**6, 3600 * 10**6))
        return {"priority": self._random.randint(1, 9), "until": moment + seconds}

    def _author(self) -> dict[str, Any]:
        words = {"actor": "eve", "reason": "asked for it", "source": "simulation"}
        return drawing.some_of(self._random, words)
