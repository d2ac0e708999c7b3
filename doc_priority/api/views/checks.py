"""Documents are counted here."""

from rest_framework.request import Request
from rest_framework.response import Response

from doc_priority.api import answers, bodies, examples
from doc_priority.api.endpoint import Endpoint
from doc_priority.api.operations import Operation
from doc_priority.api.parsers import MAX_BODY
from doc_priority.api.reach import has_limits, require_reach
from doc_priority.api.throttles import CHECK
from doc_priority.conf import settings
from doc_priority.services import check, check_many

MAX_ITEM = 2560
"""Bytes of one item, every character of its document escaped."""


class CheckEndpoint(Endpoint):
    """`customers/{key}/check/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "post": Operation(
            id="check_document",
            summary="Count one document",
            description=(
                "A document that is named counts once: repeat the call as often as you need, and "
                'it answers the same with `"repeated": true`. Without a name every call counts.'
            ),
            permission="doc_priority.check_customer",
            scope=CHECK,
            body=bodies.CheckBody,
            answer=answers.DecisionAnswer,
            asked={"A document with a name": {"document": "INV-2041"}, "Without one": {}},
            answered={"Decided": examples.DECISION},
        )
    }

    def post(self, request: Request, key: str) -> Response:
        body = self.body()
        require_reach(request.user, [key])
        document = body.get("document", "")
        decision = check(key, document=document, must_exist=has_limits())
        return self.answer(answers.of_decision(decision))


class BulkCheckEndpoint(Endpoint):
    """`checks/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "post": Operation(
            id="check_documents",
            summary="Count many documents, all of them or none",
            description="The decisions come in the order of the items.",
            permission="doc_priority.check_customer",
            scope=CHECK,
            body=bodies.BulkBody,
            answer=answers.BulkAnswer,
            problems=(404,),
            asked={
                "Two documents": {
                    "items": [{"customer": "acme", "document": "INV-2041"}, {"customer": "birch"}]
                }
            },
            answered={"Decided": {"decisions": [examples.DECISION]}},
        )
    }

    def max_body(self) -> int:
        return MAX_BODY + MAX_ITEM * settings.api_max_bulk

    def post(self, request: Request) -> Response:
        items = self.body()["items"]
        require_reach(request.user, [key for key, _ in items])
        decisions = check_many(items, must_exist=has_limits())
        return self.answer({"decisions": [answers.of_decision(one) for one in decisions]})
