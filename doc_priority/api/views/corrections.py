"""Putting a customer right by hand."""

from rest_framework.request import Request
from rest_framework.response import Response

from doc_priority.api import answers, bodies, examples
from doc_priority.api.endpoint import SOURCE, Endpoint
from doc_priority.api.operations import Operation
from doc_priority.api.reach import require_reach
from doc_priority.api.throttles import CHANGE
from doc_priority.services import pin, reset, unpin


class ResetEndpoint(Endpoint):
    """`customers/{key}/reset/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "post": Operation(
            id="reset_customer",
            summary="Put the counter to 0",
            description="It is kept as an event, with who did it and why.",
            permission="doc_priority.reset_customer",
            scope=CHANGE,
            body=bodies.ResetBody,
            answer=answers.DecisionAnswer,
            asked={"Why": {"reason": "Their import ran twice"}},
            answered={"At 0": {**examples.STANDING, "pending_documents": 0, "priority": 1}},
        )
    }

    def post(self, request: Request, key: str) -> Response:
        body = self.body()
        require_reach(request.user, [key])
        decision = reset(key, actor=request.user, reason=body["reason"], source=SOURCE)
        return self.answer(answers.of_decision(decision))


class PinEndpoint(Endpoint):
    """`customers/{key}/pin/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "put": Operation(
            id="pin_customer",
            summary="Set the priority by hand until a time",
            description="With `null` for `until` it holds until somebody takes the pin off.",
            permission="doc_priority.pin_customer",
            scope=CHANGE,
            body=bodies.PinBody,
            answer=answers.DecisionAnswer,
            asked={
                "First in line for a day": {
                    "priority": 2,
                    "until": "2030-02-01T09:00:00Z",
                    "reason": "Audit at the customer's",
                },
                "Last in line until somebody unpins it": {
                    "priority": 9,
                    "until": None,
                    "reason": "Their import runs wild",
                },
            },
            answered={"Pinned": {**examples.STANDING, "priority": 2, "pinned": True}},
        ),
        "delete": Operation(
            id="unpin_customer",
            summary="Let the counter decide again",
            description="Without a pin nothing changes.",
            permission="doc_priority.pin_customer",
            scope=CHANGE,
            body=bodies.ReasonBody,
            answer=answers.DecisionAnswer,
            asked={"Why": {"reason": "The audit is over"}},
            answered={"As the counter says": examples.STANDING},
        ),
    }

    def put(self, request: Request, key: str) -> Response:
        body = self.body()
        require_reach(request.user, [key])
        decision = pin(
            key,
            priority=body["priority"],
            until=body["until"],
            actor=request.user,
            reason=body["reason"],
            source=SOURCE,
        )
        return self.answer(answers.of_decision(decision))

    def delete(self, request: Request, key: str) -> Response:
        body = self.body()
        require_reach(request.user, [key])
        decision = unpin(key, actor=request.user, reason=body["reason"], source=SOURCE)
        return self.answer(answers.of_decision(decision))
