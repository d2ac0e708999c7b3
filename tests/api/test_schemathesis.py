"""What the description says is what the API does, for thousands of generated requests."""

import logging
import os
from typing import Any

import pytest
from django.db import connection
from knox.models import AuthToken
from rest_framework.settings import api_settings
from schemathesis import Case, Response
from schemathesis.checks import CHECKS
from schemathesis.generation.meta import TestPhase
from schemathesis.transport.wsgi import WSGITransport

from doc_priority.api import examples
from doc_priority.api.openapi.serving import served
from doc_priority.models import Customer, Policy
from doc_priority.services import check, create_customer, create_policy
from tests.api.conftest import PREFIX, UserOf
from tests.api.generated_requests import Seen, send_all

pytestmark = [pytest.mark.sqlite, pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]

AT_LENGTH = os.environ.get("HYPOTHESIS_PROFILE") == "ci" and connection.vendor == "sqlite"
ROLES = ("anonymous", "viewer", "submitter", "support", "policy admin", "superuser")
MOST = "superuser"
"""The role whose requests get furthest, and the one that a short run is about."""

EXAMPLES = {True: 20, False: 3} if AT_LENGTH else {True: 5, False: 3}
"""Made up for each operation on top of those that go through the description's own limits."""


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Of thousands of refusals nobody wants to read."""
    caplog.set_level(logging.ERROR, "django.request")


@pytest.fixture(autouse=True)
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trying wrong credentials, schemathesis 4.32 hands on settings that only sockets have."""
    send = WSGITransport.send

    def without_sockets(self: WSGITransport, case: Case, **options: Any) -> Response:
        for name in ("max_redirects", "verify", "cert"):
            options.pop(name, None)
        return send(self, case, **options)

    monkeypatch.setattr(WSGITransport, "send", without_sockets)


def make_what_examples_name() -> None:
    """The customers and the policy of the description's examples, some of them gone meanwhile."""
    if not Policy.objects.filter(name="gold").exists():
        create_policy(**examples.POLICY)
    for key in ("acme", "birch"):
        if not Customer.objects.filter(key=key).exists():
            create_customer(key, name=key.title())
            check(key, document="INV-2041")


def keep_what_examples_name(case: Case, response: Response) -> None:
    """Also after a deletion; a policy that customers have can be deleted next time.

    Not where requests follow each other: there what was deleted must stay so.
    """
    if case.meta is None or case.meta.phase.name is TestPhase.STATEFUL:
        return
    if case.method == "DELETE" and response.status_code in (204, 409):
        Customer.objects.exclude(policy=None).update(policy=None)
        make_what_examples_name()


def run(role: str, user_of: UserOf) -> Seen:
    make_what_examples_name()
    credentials = {}
    if role != "anonymous":
        credentials["Authorization"] = f"Token {AuthToken.objects.create(user_of(role))[1]}"
    usual = [known() for known in api_settings.DEFAULT_AUTHENTICATION_CLASSES]
    phases = {} if AT_LENGTH or role == MOST else {"coverage": {"enabled": False}}
    return send_all(
        served(prefix=PREFIX, authenticators=usual),
        config={
            "cache": {"enabled": False},
            "headers": credentials,
            "generation": {"database": "none", "max-examples": EXAMPLES[role == MOST]},
            "phases": phases,
        },
        after=keep_what_examples_name,
    )


@pytest.mark.parametrize("role", ROLES)
def test_nothing_is_undocumented_nothing_forbidden_is_accepted(role: str, user_of: UserOf) -> None:
    seen = run(role, user_of)

    assert not seen.faults, "\n\n".join(f"{name}\n{told}" for name, told in seen.faults.items())
    if role == MOST:
        assert seen.succeeded == seen.operations
        assert seen.checks == set(CHECKS.get_all_names())
    if AT_LENGTH:
        assert seen.requests >= 5000 / len(ROLES)
