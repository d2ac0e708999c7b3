"""Served by an ASGI server, many calls at once."""

import asyncio
import json
from collections.abc import Callable
from threading import Barrier
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.core.asgi import get_asgi_application
from django.db import connection

from doc_priority import services
from doc_priority.models import Customer
from tests.api.conftest import PREFIX, Caller

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

PATIENCE = 30
CALLS = 12


CHECK: dict[str, Any] = {"method": "POST", "address": "customers/acme/check/", "body": {}}
NAMED = CHECK | {"body": {"document": "INV-2041"}}
LIST = {"method": "GET", "address": "customers/"}
LOOK = {"method": "GET", "address": "customers/acme/"}

Together = Callable[..., list[tuple[int, dict[bytes, bytes], Any]]]


@pytest.fixture
def together(root: Caller, monkeypatch: pytest.MonkeyPatch) -> Together:
    """Ask for all of it at once; status, headers and body of each answer."""
    # Each call has a thread of its own, which takes no connection with it when it ends.
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 0)

    async def ask(method: str, address: str, body: object = None, **headers: str | None) -> Any:
        content = b"" if body is None else json.dumps(body).encode()
        all_headers = {
            "host": "testserver",
            "authorization": root.headers["Authorization"],
            "content-type": "application/json",
            "content-length": str(len(content)),
            **headers,
        }
        path, _, query = address.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": PREFIX + path,
            "query_string": query.encode(),
            "headers": [(key.encode(), one.encode()) for key, one in all_headers.items() if one],
        }
        server = ApplicationCommunicator(get_asgi_application(), scope)
        await server.send_input({"type": "http.request", "body": content})
        begun = await server.receive_output(PATIENCE)
        sent = (await server.receive_output(PATIENCE))["body"]
        await server.wait(PATIENCE)
        return begun["status"], dict(begun["headers"]), json.loads(sent) if sent else None

    async def gather(*calls: dict[str, Any]) -> Any:
        return await asyncio.gather(*(ask(**call) for call in calls))

    return async_to_sync(gather)


def test_every_kind_of_call(together: Together) -> None:
    # A server may not know how long a body is: nothing is counted then.
    ((status, _, problem),) = together(NAMED | {"content-length": None})
    assert (status, problem["code"]) == (411, "length_required")
    assert not Customer.objects.exists()
    ((status, _, _),) = together(CHECK | {"body": None, "content-length": None})
    assert status == 200
    services.forget("acme")

    ((status, headers, decision),) = together(NAMED)
    assert (status, decision["pending_documents"]) == (200, 0)
    assert headers[b"Content-Type"] == b"application/json"
    ((status, _, decision),) = together(NAMED)
    assert (status, decision["repeated"]) == (200, True)
    items = [{"customer": "acme"}] * 100
    ((_, _, answer),) = together(CHECK | {"address": "checks/", "body": {"items": items}})
    assert len(answer["decisions"]) == 100

    ((_, _, listed),) = together(LIST | {"address": "customers/?limit=10&state=counting"})
    ((_, headers, looked),) = together(LOOK)
    assert listed["results"] == [looked]
    ((status, _, body),) = together(LOOK | {"if-none-match": headers[b"ETag"].decode()})
    assert (status, body) == (304, None)

    ((status, headers, problem),) = together(LOOK | {"address": "customers/nobody/"})
    assert headers[b"Content-Type"] == b"application/problem+json"
    assert (status, problem["code"]) == (404, "customer_not_found")
    ((status, _, body),) = together(LOOK | {"method": "DELETE", "body": {"reason": "over"}})
    assert (status, body) == (204, None)


def test_calls_at_once_count_exactly_each_in_the_language_of_its_caller(
    together: Together, reach: Any
) -> None:
    services.create_customer("acme")
    services.create_customer("birch")

    def overlapping(calls: int) -> None:
        """So many calls go on only when all of them have begun."""
        meeting = Barrier(calls)

        def met(user: User) -> Any:
            meeting.wait(PATIENCE)
            return Customer.objects.all()

        reach(met, LOCK_TIMEOUT_MS=PATIENCE * 1000)

    overlapping(CALLS)
    answers = together(*[CHECK] * CALLS)
    assert {status for status, _, _ in answers} == {200}
    counts = sorted(-decision["pending_documents"] for _, _, decision in answers)
    assert counts == list(range(CALLS))
    assert services.peek("acme").pending_documents == 1 - CALLS

    overlapping(CALLS)
    answers = together(*[NAMED] * CALLS)
    assert {status for status, _, _ in answers} == {200}
    repeated = sorted(decision.pop("repeated") for _, _, decision in answers)
    assert repeated == [False] + [True] * (CALLS - 1)
    assert all(decision == answers[0][2] for _, _, decision in answers)
    assert services.peek("acme").pending_documents == -CALLS

    languages = ["en", "de", "es", "pl", "pt"] * 2
    overlapping(13)
    answers = together(
        *(
            call | {"accept-language": language}
            for language, call in zip(languages, [LOOK, LIST] * 5, strict=True)
        ),
        *[CHECK | {"address": "customers/birch/check/"}] * 2,
        LIST | {"address": "stats/"},
    )
    assert {status for status, _, _ in answers} == {200}
    told = [body.get("results", [body])[0]["explanation"] for _, _, body in answers[:10]]
    assert told[:5] == told[5:]
    assert len(set(told)) == 5
    assert services.peek("birch").pending_documents == -1
