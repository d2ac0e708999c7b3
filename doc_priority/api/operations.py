"""What one method of one address is: who may do it, what it takes, what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rest_framework.serializers import BaseSerializer

from doc_priority.api.queries import Query
from doc_priority.api.strictness import StrictSerializer

Examples = Mapping[str, Any]


class NoBody(StrictSerializer):
    """Nothing: the call takes no body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """Read by the endpoint that runs it and by the OpenAPI document that describes it."""

    id: str
    summary: str
    description: str = ""
    permission: str
    scope: str
    query: type[Query] = Query
    body: type[StrictSerializer] = NoBody
    status: int = 200
    answer: type[BaseSerializer[Any]] | None = None
    problems: tuple[int, ...] = ()
    conditional: bool = False
    asked: Examples = field(default_factory=dict)
    answered: Examples = field(default_factory=dict)
