"""Before anything is measured: all contenders authenticate, count, and answer the same."""

import json
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from benchmarks.rest_plan import CONTENDERS, OURS, Contender, Person
from benchmarks.run import customer

BODIES: tuple[dict[str, str], ...] = ({}, {}, {"document": "proof"}, {"document": "proof"})
COUNTED = -3
"""From 0 by two checks without a document and one with, told twice."""

Answer = dict[str, Any]


class Unequal(Exception):  # noqa: N818 - says what happened
    """A contender does something else than the others, so that a ratio would say nothing."""


def prove(addresses: Mapping[bool, str], tokens: Mapping[str, str]) -> None:
    """Count for a customer of each contender's own; all must come to the same."""
    expected: list[Answer] = []
    for number, (name, contender) in enumerate(CONTENDERS.items()):
        address = f"{addresses[contender.keeps_connections]}/{_path(contender, number)}/check/"
        answers = [_asked(address, tokens[contender.person], body) for body in BODIES]
        comparable = [_comparable(answer, customer(number)) for answer in answers]
        expected = expected or comparable
        _require(name, comparable == expected, f"{comparable} is not {expected}")
        _require(name, _status(address, "wrong") == HTTPStatus.UNAUTHORIZED, "takes any token")
        looked_at = f"{addresses[True]}/{_path(CONTENDERS[OURS], number)}/"
        counted = _asked(looked_at, tokens[Person.SUPERUSER])["pending_documents"]
        _require(name, counted == COUNTED, f"the counter stands at {counted}")


def _path(contender: Contender, number: int) -> str:
    return f"{contender.prefix}/customers/{customer(number)}"


def _require(name: str, fulfilled: bool, problem: str) -> None:
    if not fulfilled:
        raise Unequal(f"{name}: {problem}")


def _asked(address: str, token: str, body: Mapping[str, str] | None = None) -> Answer:
    with urlopen(_request(address, token, body), timeout=10) as answer:  # noqa: S310
        decision: Answer = json.load(answer)
    return decision


def _status(address: str, token: str) -> int:
    try:
        with urlopen(_request(address, token, {}), timeout=10) as answer:  # noqa: S310
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code


def _request(address: str, token: str, body: Mapping[str, str] | None) -> Request:
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    return Request(address, data, headers)  # noqa: S310


def _comparable(answer: Answer, key: str) -> Answer:
    """The answer with its own customer and times replaced by what must be the same for all."""
    decided, resets = (datetime.fromisoformat(answer[name]) for name in ("decided_at", "resets_at"))
    return {
        **answer,
        "customer": answer["customer"] == key,
        "decided_at": answer["decided_at"][-1],
        "resets_at": (resets - decided).total_seconds(),
    }
