"""A body whose length nobody said is refused before anything counts."""

import asyncio
import json
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIHandler

from doc_priority.models import Customer
from tests.api.conftest import Caller
from tests.api.problems import assert_problem

BODY = json.dumps({"document": "INV-1"}).encode()


@pytest.mark.django_db
def test_chunks_are_refused(root: Caller) -> None:
    answer = root.post("customers/acme/check/", BODY, headers={"Transfer-Encoding": "chunked"})

    assert_problem(answer, 411, "length_required")
    assert not Customer.objects.exists()


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("body", "status"), [(BODY, 411), (b"", 200)])
def test_an_asgi_server_may_not_know_the_length(root: Caller, body: bytes, status: int) -> None:
    sent = asyncio.run(_answer(root, body))

    assert sent[0]["status"] == status
    assert Customer.objects.exists() == (status == 200)


async def _answer(caller: Caller, body: bytes) -> list[dict[str, Any]]:
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "2",
        "method": "POST",
        "path": "/api/v1/customers/acme/check/",
        "query_string": b"",
        "headers": [
            (b"host", b"testserver"),
            (b"content-type", b"application/json"),
            (b"authorization", caller.headers["Authorization"].encode()),
        ],
    }
    received = iter([{"type": "http.request", "body": body, "more_body": False}])
    sent: list[dict[str, Any]] = []
    ended = asyncio.Event()

    async def receive() -> dict[str, Any]:
        for message in received:
            return message
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await ASGIHandler()(scope, receive, send)
    ended.set()
    return sent
