"""docs/reference/rest-operations.md: every operation, who may call it and what it answers."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from doc_priority.api import urls
from doc_priority.api.endpoint import Endpoint
from doc_priority.api.openapi.document import COPY
from doc_priority.api.operations import Operation
from doc_priority.api.problems import title_of
from tests.reference.markdown import code, prose_of, sections, table


class Described(NamedTuple):
    """An operation as it is declared, and where and with which answers it is described."""

    operation: Operation
    call: str
    group: str
    parameters: list[str]
    statuses: frozenset[int]


def described() -> list[Described]:
    """In the order of the committed OpenAPI document."""
    declared = {operation.id: operation for operation in declared_operations()}
    paths = json.loads(COPY.read_text("utf-8"))["paths"]
    return [
        _described(declared[described["operationId"]], f"{method.upper()} {path}", described)
        for path, methods in paths.items()
        for method, described in methods.items()
    ]


def declared_operations() -> Iterator[Operation]:
    for pattern in urls.urlpatterns:
        view = getattr(pattern.callback, "view_class", None) or getattr(
            pattern.callback, "cls", None
        )
        if isinstance(view, type) and issubclass(view, Endpoint):
            yield from view.operations.values()


def _described(operation: Operation, call: str, described: dict[str, Any]) -> Described:
    return Described(
        operation,
        call.replace(" /", " "),
        described["tags"][0],
        [one["name"] for one in described.get("parameters", ()) if one["in"] == "query"],
        frozenset(map(int, described["responses"])),
    )


def _of_all() -> frozenset[int]:
    return frozenset.intersection(*(one.statuses for one in described()))


def _common() -> str:
    return table(
        ["status", "is"],
        ([str(status), title_of(status)] for status in sorted(_of_all())),
    )


def _operations() -> str:
    groups = dict.fromkeys(one.group for one in described())
    return sections(*(sections(f"## {group}", _table(group)) for group in groups))


def _table(group: str) -> str:
    return table(
        ["call", "does", "permission", "throttle scope", "query", "answers"],
        (
            [
                code(one.call),
                prose_of(one.operation.summary),
                code(one.operation.permission),
                code(one.operation.scope),
                ", ".join(map(code, one.parameters)),
                ", ".join(map(str, sorted(one.statuses - _of_all()))),
            ]
            for one in described()
            if one.group == group
        ),
    )


PARTS = {"common": _common, "operations": _operations}
