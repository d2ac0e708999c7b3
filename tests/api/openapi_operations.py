"""The operations of the checked-in description, one by one."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from doc_priority.api.openapi.document import COPY

DESCRIPTION: dict[str, Any] = json.loads(COPY.read_text("utf-8"))


class Described(NamedTuple):
    """One method of one address."""

    path: str
    method: str
    operation: dict[str, Any]

    def __str__(self) -> str:
        return str(self.operation["operationId"])

    def responses(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every answer by its status."""
        for status, response in self.operation["responses"].items():
            yield int(status), resolved(response)

    def contents(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """What is sent and what is answered."""
        yield from self.operation.get("requestBody", {}).get("content", {}).items()
        for _, response in self.responses():
            yield from response.get("content", {}).items()


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    """What a reference refers to."""
    if "$ref" not in value:
        return value
    found: Any = DESCRIPTION
    for step in value["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)


OPERATIONS = [
    Described(path, method, operation)
    for path, methods in DESCRIPTION["paths"].items()
    for method, operation in methods.items()
]
