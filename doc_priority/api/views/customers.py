"""The live list, and one customer of it."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from doc_priority.api import answers, bodies, examples
from doc_priority.api.endpoint import SOURCE, Endpoint
from doc_priority.api.etags import conditional
from doc_priority.api.languages import language_of
from doc_priority.api.live_list import live_customer, live_page
from doc_priority.api.operations import Operation
from doc_priority.api.pages import links_of
from doc_priority.api.queries import CustomerQuery
from doc_priority.api.reach import limits_of, require_reach
from doc_priority.api.throttles import CHANGE, READ
from doc_priority.services import change_customer, create_customer, forget
from doc_priority.validation import require_key


class CustomersEndpoint(Endpoint):
    """`customers/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "get": Operation(
            id="list_customers",
            summary="The live list: every customer and what it stands at now",
            description=(
                "Time stands still for the pages of one listing. In the order of `customer` "
                "everybody comes once; in the order of a live value a customer that is checked or "
                "reset meanwhile may come twice or not at all."
            ),
            permission="doc_priority.view_customer",
            scope=READ,
            query=CustomerQuery,
            answer=answers.CustomerPage,
            conditional=True,
            answered={"A page": examples.page_of(examples.CUSTOMER)},
        ),
        "post": Operation(
            id="create_customer",
            summary="Make a customer before its first document",
            permission="doc_priority.add_customer",
            scope=CHANGE,
            body=bodies.CustomerBody,
            status=201,
            answer=answers.CustomerAnswer,
            problems=(404, 409),
            asked={"A customer": {"customer": "acme", "name": "Acme"}},
            answered={"Made": examples.CUSTOMER},
        ),
    }

    def get(self, request: Request) -> Response:
        page = live_page(request.user, self.query)
        with language_of(request):
            results = [answers.of_customer(row) for row in page.rows]
        links = links_of(request, page)
        if "cursor" in self.query:
            return self.answer({**links, "results": results})
        # A later page tells what was when its listing began, and is not asked for again. The links
        # of the first one tell that time, which is another one at every request.
        values = [results, links["next"] is None, links["previous"] is None]
        return conditional(request, {**links, "results": results}, values=values)

    def post(self, request: Request) -> Response:
        body = self.body()
        key = body["customer"]
        create_customer(
            key,
            name=body["name"],
            policy=body["policy"] or None,
            among=limits_of(request.user),
        )
        location = request.build_absolute_uri(f"{request.path}{key}/")
        return self.answer(_shown(request, key), headers={"Location": location})


class CustomerEndpoint(Endpoint):
    """`customers/{key}/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "get": Operation(
            id="peek_customer",
            summary="Look at a customer; nothing is counted",
            permission="doc_priority.view_customer",
            scope=READ,
            answer=answers.CustomerAnswer,
            conditional=True,
            answered={"Now": examples.CUSTOMER},
        ),
        "patch": Operation(
            id="change_customer",
            summary="Change a customer's name or policy",
            permission="doc_priority.change_customer",
            scope=CHANGE,
            body=bodies.CustomerChangeBody,
            answer=answers.CustomerAnswer,
            asked={"Another policy": {"policy": "gold", "reason": "New contract"}},
            answered={"Changed": {**examples.CUSTOMER, "policy": "gold"}},
        ),
        "delete": Operation(
            id="forget_customer",
            summary="Erase a customer and what is kept of it",
            description="One event stays and says who did it, when and why.",
            permission="doc_priority.delete_customer",
            scope=CHANGE,
            body=bodies.ReasonBody,
            status=204,
            problems=(409,),
            asked={"Why": {"reason": "Contract ended"}},
        ),
    }

    def get(self, request: Request, key: str) -> Response:
        return conditional(request, _shown(request, key))

    def patch(self, request: Request, key: str) -> Response:
        body = self.body()
        require_reach(request.user, [key])
        if "name" in body or "policy" in body:
            change_customer(
                key,
                name=body.get("name"),
                policy=body.get("policy"),
                actor=request.user,
                reason=body["reason"],
                source=SOURCE,
                among=limits_of(request.user),
            )
        return self.answer(_shown(request, key))

    def delete(self, request: Request, key: str) -> Response:
        body = self.body()
        require_key(key)
        require_reach(request.user, [key])
        forget(key, actor=request.user, reason=body["reason"], source=SOURCE)
        return self.answer(None)


def _shown(request: Request, key: str) -> dict[str, Any]:
    customer = live_customer(request.user, key)
    with language_of(request):
        return answers.of_customer(customer)
