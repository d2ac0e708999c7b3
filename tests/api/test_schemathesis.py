"""What the description says is what the API does, for thousands of generated requests."""

import logging
import os
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection, connections
from rest_framework.settings import api_settings
from schemathesis import Case, HookContext, Response
from schemathesis.checks import CHECKS
from schemathesis.engine import events, from_schema
from schemathesis.generation.meta import TestPhase
from schemathesis.transport.wsgi import WSGITransport

from doc_priority.api.examples import POLICY
from doc_priority.api.schema import served
from doc_priority.models import Customer, Policy
from doc_priority.services import check, create_customer, create_policy
from doc_priority.types import FLOOR
from tests.api.conftest import PERMISSIONS, PREFIX, Caller

pytestmark = [
    pytest.mark.proof,
    pytest.mark.sqlite,
    pytest.mark.django_db(transaction=True),
]

AT_LENGTH = os.environ.get("HYPOTHESIS_PROFILE") == "ci" and connection.vendor == "sqlite"
ROLES = ("anonymous", *PERMISSIONS) if AT_LENGTH else ("anonymous", "support", "superuser")
LATER = datetime.now(UTC) + timedelta(days=3650)


class Site:
    """The site in process; the threads that ask it keep their connections until it closes."""

    def __init__(self) -> None:
        self.handler = WSGIHandler()
        self.connections: set[Any] = set()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        own = connections["default"]
        if own not in self.connections:
            own.inc_thread_sharing()
            self.connections.add(own)
        return self.handler(environ, start_response)

    def close(self) -> None:
        for one in self.connections:
            one.close()


def make_what_examples_name() -> None:
    """The customers and the policy of the description's examples, some of them gone meanwhile."""
    if not Policy.objects.filter(name="gold").exists():
        create_policy(**POLICY)
    for key in ("acme", "birch"):
        if not Customer.objects.filter(key=key).exists():
            create_customer(key, name=key.title())
            check(key, document="INV-2041")


def as_the_schema_cannot_say(context: HookContext, case: Case) -> Case:
    """Make a request right that is meant to be, in what a JSON Schema has no words for.

    - A whole number is written without a point: to a JSON Schema 2.0 is one, too.
    - Each threshold of a policy is below the one before.
    - A pin ends in the future.
    - A cursor comes from a page. A made-up one answers 404, and what else was asked is not seen.
    """
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return case
    for name, value in case.body.items() if isinstance(case.body, dict) else ():
        if isinstance(value, float):
            case.body[name] = int(value)
        elif name == "until" and isinstance(value, str):
            case.body[name] = max(value, LATER.isoformat())
        elif name == "thresholds" and isinstance(value, list):
            highest = max(int(number) for number in value)
            case.body[name] = [max(highest, FLOOR + 7) - place for place in range(len(value))]
    if case.meta.phase.name is TestPhase.COVERAGE and "cursor" in case.query:
        case.query = {name: case.query[name] for name in case.query if name != "cursor"}
    return case


@pytest.mark.parametrize("role", ROLES)
def test_nothing_is_undocumented_nothing_forbidden_is_accepted(
    role: str, caller_as: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep_what_examples_name(context: HookContext, case: Case, response: Response) -> None:
        """Also after a deletion; a policy that customers have can be deleted next time.

        Not where requests follow each other: there what was deleted must stay so.
        """
        stateful = case.meta is None or case.meta.phase.name is TestPhase.STATEFUL
        if not stateful and case.method == "DELETE" and response.status_code in (204, 409):
            Customer.objects.exclude(policy=None).update(policy=None)
            make_what_examples_name()

    caplog.set_level(logging.ERROR, "django.request")  # of thousands of refusals nobody reads
    send = WSGITransport.send

    def without_sockets(self: WSGITransport, case: Case, **options: Any) -> Response:
        """Trying wrong credentials, schemathesis 4.32 has settings that only sockets take."""
        for name in ("max_redirects", "verify", "cert"):
            options.pop(name, None)
        return send(self, case, **options)

    monkeypatch.setattr(WSGITransport, "send", without_sockets)
    make_what_examples_name()
    caller = Caller() if role == "anonymous" else caller_as(role)
    usual = [known() for known in api_settings.DEFAULT_AUTHENTICATION_CLASSES]
    short_coverage = {"enabled": role == "superuser", "unexpected-methods": ["TRACE"]}
    config = {
        "cache": {"enabled": False},
        "continue-on-failure": True,
        "headers": caller.headers,
        "generation": {"database": "none", "max-examples": 20 if AT_LENGTH else 1},
        "phases": {} if AT_LENGTH else {"coverage": short_coverage},
    }
    schema = schemathesis.openapi.from_dict(
        served(prefix=PREFIX, authenticators=usual), config=schemathesis.Config.from_dict(config)
    )
    schema.hook("map_case")(as_the_schema_cannot_say)
    schema.hook("after_call")(keep_what_examples_name)

    with closing(Site()) as schema.app:
        operations = {found.ok().label for found in schema.get_all_operations()}
        happened = list(from_schema(schema).execute())

    scenarios = [event.recorder for event in happened if isinstance(event, events.ScenarioFinished)]
    checked = [check for one in scenarios for checks in one.checks.values() for check in checks]
    faults = [
        *(str(event.info) for event in happened if isinstance(event, events.NonFatalError)),
        *(
            f"{one.failure_info.failure}\n{one.failure_info.code_sample}"
            for one in checked
            if one.failure_info
        ),
    ]
    assert not faults, "\n\n".join(faults[:20])
    assert not any(event.failures for event in happened if isinstance(event, events.EngineFinished))
    answers = [
        (one.cases[number].value.operation.label, interaction.response)
        for one in scenarios
        for number, interaction in one.interactions.items()
        if interaction.response is not None
    ]
    if role == "superuser":
        succeeded = {label for label, response in answers if response.status_code < 300}
        assert succeeded == operations
        assert {check.name for check in checked} == set(CHECKS.get_all_names())
    if AT_LENGTH:
        assert len(answers) >= 5000 / len(ROLES)
