"""What the calls answer: the values, and their description."""

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.drainage import set_override
from rest_framework.fields import Field
from rest_framework.serializers import Serializer

from doc_priority.api import schemas
from doc_priority.explanations import explain
from doc_priority.models import Customer, DocumentDecision, Event, Policy
from doc_priority.selectors import Overview
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY, Decision, utc_text

BOOLEAN = {"type": "boolean"}
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
LINK = {"type": ["string", "null"], "format": "uri"}
POLICY_NAME = {"type": "string", "description": "Empty: the default policy."}


class Shows(Field[Any, Any, Any, Any]):
    """A member of an answer, with this schema."""

    def __init__(self, schema: schemas.Schema) -> None:
        super().__init__()
        set_override(self, "field", schema)


class DecisionAnswer(Serializer[Any]):
    """What a customer's next document gets, or got, and why."""

    customer = Shows(schemas.KEY)
    document = Shows({"type": "string", "description": "Empty: the document has no name."})
    pending_documents = Shows(schemas.PENDING)
    priority = Shows(schemas.PRIORITY)
    pinned = Shows({**BOOLEAN, "description": "The priority was set by hand."})
    reset = Shows({**BOOLEAN, "description": "This check found the interval over."})
    repeated = Shows({**BOOLEAN, "description": "It had been decided before; nothing was counted."})
    decided_at = Shows(schemas.MOMENT)
    resets_at = Shows(
        {
            **schemas.OPTIONAL_MOMENT,
            "description": "When the counter is back at 0 if nothing more comes.",
        }
    )
    policy = Shows(POLICY_NAME)


class CustomerAnswer(Serializer[Any]):
    """A customer and what it stands at now."""

    customer = Shows(schemas.KEY)
    name = Shows(TEXT)
    policy = Shows(POLICY_NAME)
    pending_documents = Shows(schemas.PENDING)
    priority = Shows(schemas.PRIORITY)
    pinned = Shows(BOOLEAN)
    pinned_until = Shows(
        {**schemas.OPTIONAL_MOMENT, "description": "Null while `pinned`: the pin has no end."}
    )
    updated_at = Shows(schemas.OPTIONAL_MOMENT)
    resets_at = Shows(schemas.OPTIONAL_MOMENT)
    explanation = Shows({**TEXT, "description": "In the language of Accept-Language."})


class EventAnswer(Serializer[Any]):
    """Who did what to a customer, when and why."""

    id = Shows({"type": "integer"})
    customer = Shows(schemas.KEY)
    kind = Shows({"type": "string", "enum": list(Event.Kind.values)})
    actor = Shows(TEXT)
    reason = Shows(TEXT)
    source = Shows({**TEXT, "description": "Through what."})  # type: ignore[assignment]
    before = Shows({"type": "object", "additionalProperties": True})
    after = Shows({"type": "object", "additionalProperties": True})
    created_at = Shows(schemas.MOMENT)


class CustomerPage(Serializer[Any]):
    """A page of the live list."""

    next = Shows(LINK)
    previous = Shows(LINK)
    results = CustomerAnswer(many=True)


class EventPage(Serializer[Any]):
    """A page of events."""

    next = Shows(LINK)
    previous = Shows(LINK)
    results = EventAnswer(many=True)


class DocumentPage(Serializer[Any]):
    """A page of decisions, each as it was when its document was counted."""

    next = Shows(LINK)
    previous = Shows(LINK)
    results = DecisionAnswer(many=True)


class PolicyAnswer(Serializer[Any]):
    """An interval, a recovery and eight thresholds, to be given to customers."""

    name = Shows(schemas.POLICY)
    reset_interval = Shows(schemas.INTERVAL)
    recovery = Shows(schemas.RECOVERY)
    thresholds = Shows(schemas.THRESHOLDS)


class PolicyPage(Serializer[Any]):
    """A page of policies."""

    next = Shows(LINK)
    previous = Shows(LINK)
    results = PolicyAnswer(many=True)


class BulkAnswer(Serializer[Any]):
    """The decisions in the order of the items."""

    decisions = DecisionAnswer(many=True)


class StatsAnswer(Serializer[Any]):
    """How many customers stand where now."""

    customers = Shows(COUNT)
    priorities = Shows(
        {
            "type": "object",
            "properties": {
                str(number): COUNT for number in range(BEST_PRIORITY, WORST_PRIORITY + 1)
            },
            "required": [str(number) for number in range(BEST_PRIORITY, WORST_PRIORITY + 1)],
            "additionalProperties": False,
        }
    )
    counting = Shows({**COUNT, "description": "Those whose interval runs and who are not pinned."})
    at_7_to_9 = Shows(COUNT)
    pinned = Shows(COUNT)


class ProblemError(Serializer[Any]):
    """One value that was wrong."""

    pointer = Shows(
        {
            "type": "string",
            "description": "`#/reason` in the body, `?limit` after the question mark.",
        }
    )
    code = Shows(TEXT)
    detail = Shows(TEXT)


class ProblemAnswer(Serializer[Any]):
    """What went wrong, as RFC 9457 has it."""

    type = Shows({"type": "string", "format": "uri-reference"})
    title = Shows(TEXT)
    status = Shows({"type": "integer", "minimum": 400, "maximum": 599})
    detail = Shows(TEXT)
    code = Shows({**TEXT, "description": "Stays the same from version to version."})
    errors = ProblemError(many=True)  # type: ignore[assignment]


def of_decision(decision: Decision) -> dict[str, Any]:
    return {
        "customer": decision.customer,
        "document": decision.document,
        "pending_documents": decision.pending_documents,
        "priority": decision.priority,
        "pinned": decision.pinned,
        "reset": decision.reset,
        "repeated": decision.repeated,
        "decided_at": utc_text(decision.decided_at),
        "resets_at": optional_utc(decision.resets_at),
        "policy": decision.policy,
    }


def of_document(row: DocumentDecision) -> dict[str, Any]:
    """What was decided for a document when it was counted."""
    return of_decision(row.decision)


def of_customer(row: Customer) -> dict[str, Any]:
    """A row of the live list, with its policy and counter."""
    live: Any = row
    return {
        "customer": row.key,
        "name": row.name,
        "policy": row.policy.name if row.policy else "",
        "pending_documents": live.pending_documents,
        "priority": live.priority,
        "pinned": live.pinned,
        "pinned_until": optional_utc(live.pinned_until),
        "updated_at": optional_utc(live.updated_at),
        "resets_at": optional_utc(live.resets_at),
        "explanation": explain(row, shown=as_time),
    }


def of_event(event: Event) -> dict[str, Any]:
    return {
        "id": event.pk,
        "customer": event.customer,
        "kind": event.kind,
        "actor": event.actor,
        "reason": event.reason,
        "source": event.source,
        "before": event.before,
        "after": event.after,
        "created_at": utc_text(event.created_at),
    }


def of_policy(policy: Policy) -> dict[str, Any]:
    return {
        "name": policy.name,
        "reset_interval": policy.reset_interval,
        "recovery": str(policy.recovery),
        "thresholds": policy.thresholds,
    }


def of_overview(overview: Overview) -> dict[str, Any]:
    return {
        "customers": overview.customers,
        "priorities": {str(number): count for number, count in overview.priorities.items()},
        "counting": overview.counting,
        "at_7_to_9": overview.at_7_to_9,
        "pinned": overview.pinned,
    }


def optional_utc(moment: datetime | None) -> str | None:
    return None if moment is None else utc_text(moment)


def as_time(moment: datetime) -> str:
    """A moment in a sentence."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
