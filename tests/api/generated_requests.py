"""Requests that schemathesis makes of the description, sent in process, and what became of them."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from schemathesis import Case, HookContext, Response
from schemathesis.engine import events, from_schema
from schemathesis.engine.recorder import ScenarioRecorder
from schemathesis.generation.meta import TestPhase
from schemathesis.specs.openapi.schemas import OpenApiSchema

from doc_priority.types import FLOOR

LATER = datetime.now(UTC) + timedelta(days=3650)


@dataclass
class Seen:
    """What a run saw."""

    requests: int = 0
    operations: set[str] = field(default_factory=set)
    succeeded: set[str] = field(default_factory=set)
    statuses: set[int] = field(default_factory=set)
    checks: set[str] = field(default_factory=set)
    faults: dict[str, str] = field(default_factory=dict)
    """One example of each fault, with the command that shows it again."""

    def add(self, recorder: ScenarioRecorder) -> None:
        for number, interaction in recorder.interactions.items():
            self.requests += 1
            if interaction.response is not None:
                label = recorder.cases[number].value.operation.label
                self.statuses.add(interaction.response.status_code)
                if interaction.response.status_code < 300:
                    self.succeeded.add(label)
        self.checks.update(check.name for made in recorder.checks.values() for check in made)
        for check, fault in faults_of(recorder):
            self.faults.setdefault(f"{recorder.label}: {check}", fault)


def faults_of(recorder: ScenarioRecorder) -> Iterator[tuple[str, str]]:
    for checks in recorder.checks.values():
        for check in checks:
            if told := check.failure_info:
                yield check.name, f"{told.failure}\n{told.code_sample}"


class Site:
    """The site in process; the threads that ask it keep their connections until it closes."""

    def __init__(self) -> None:
        self.handler = WSGIHandler()
        self.connections: set[Any] = set()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        connection = connections["default"]
        if connection not in self.connections:
            connection.inc_thread_sharing()
            self.connections.add(connection)
        return self.handler(environ, start_response)

    def close(self) -> None:
        for connection in self.connections:
            connection.close()


def send_all(
    description: dict[str, Any],
    *,
    config: dict[str, Any],
    after: Callable[[Case, Response], None],
) -> Seen:
    """Make the requests of all phases, with all checks on."""
    settings = schemathesis.Config.from_dict({**config, "continue-on-failure": True})
    schema = schemathesis.openapi.from_dict(description, config=settings)
    schema.hook("map_case")(_as_the_schema_cannot_say)
    schema.hook("after_call")(lambda context, case, response: after(case, response))
    with closing(Site()) as schema.app:
        return _run(schema)


def _run(schema: OpenApiSchema) -> Seen:
    seen = Seen(operations={found.ok().label for found in schema.get_all_operations()})
    for event in from_schema(schema).execute():
        match event:
            case events.ScenarioFinished():
                seen.add(event.recorder)
            case events.NonFatalError():
                seen.faults[f"{event.label}: {event.info.title}"] = str(event.info)
            case events.EngineFinished():
                seen.faults.update({str(fault): "" for fault in event.failures})
    return seen


def _as_the_schema_cannot_say(context: HookContext, case: Case) -> Case:
    """Make a request right that is meant to be, in what a JSON Schema has no words for.

    - A whole number is written without a point: to a JSON Schema 2.0 is one, too.
    - Each threshold of a policy is below the one before.
    - A pin ends in the future.
    - A cursor comes from a page. A made-up one answers 404, and what else was asked is not seen.
    """
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return case
    if isinstance(case.body, dict):
        case.body = {name: _corrected(name, value) for name, value in case.body.items()}
    if case.meta.phase.name is TestPhase.COVERAGE and "cursor" in case.query:
        case.query = {name: case.query[name] for name in case.query if name != "cursor"}
    return case


def _corrected(name: str, value: Any) -> Any:
    match name, value:
        case "thresholds", list():
            return _falling([int(number) for number in value])
        case "until", str():
            return max(value, LATER.isoformat())
        case _, float():
            return int(value)
    return value


def _falling(numbers: list[int]) -> list[int]:
    """Each below the one before, with room for those that follow."""
    fallen: list[int] = []
    for place, number in enumerate(sorted(numbers, reverse=True)):
        room = max(number, FLOOR + len(numbers) - 1 - place)
        fallen.append(min([room, *(before - 1 for before in fallen[-1:])]))
    return fallen
