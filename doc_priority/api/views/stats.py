"""How many customers stand where now."""

from rest_framework.request import Request
from rest_framework.response import Response

from doc_priority.api import answers, examples
from doc_priority.api.endpoint import Endpoint
from doc_priority.api.etags import conditional
from doc_priority.api.operations import Operation
from doc_priority.api.reach import customers_of
from doc_priority.api.throttles import READ
from doc_priority.selectors import overview


class StatsEndpoint(Endpoint):
    """`stats/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "get": Operation(
            id="read_stats",
            summary="Customers per live priority, counting now, at 7 to 9, pinned",
            description="Of the customers within this user's reach.",
            permission="doc_priority.view_customer",
            scope=READ,
            answer=answers.StatsAnswer,
            conditional=True,
            answered={"Now": examples.STATS},
        )
    }

    def get(self, request: Request) -> Response:
        return conditional(request, answers.of_overview(overview(customers_of(request.user))))
