"""Policies, by name."""

from urllib.parse import quote

from rest_framework.request import Request
from rest_framework.response import Response

from doc_priority.api import answers, bodies, examples
from doc_priority.api.endpoint import SOURCE, Endpoint
from doc_priority.api.operations import Operation
from doc_priority.api.pages import Cursor, limit_of, links_of, page_of
from doc_priority.api.queries import PageQuery
from doc_priority.api.throttles import CHANGE, READ
from doc_priority.exceptions import PolicyNotFound
from doc_priority.models import Policy
from doc_priority.services import change_policy, create_policy, delete_policy
from doc_priority.types import POLICY_NAME_LENGTH
from doc_priority.validation import require_text


class PoliciesEndpoint(Endpoint):
    """`policies/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "get": Operation(
            id="list_policies",
            summary="The named policies; the default one is in the portal's settings",
            permission="doc_priority.view_policy",
            scope=READ,
            query=PageQuery,
            answer=answers.PolicyPage,
            answered={"A page": examples.page_of(examples.POLICY)},
        ),
        "post": Operation(
            id="create_policy",
            summary="Make a policy that customers can be given",
            permission="doc_priority.add_policy",
            scope=CHANGE,
            body=bodies.PolicyBody,
            status=201,
            answer=answers.PolicyAnswer,
            problems=(409,),
            asked={"More room": {**examples.POLICY, "reason": "Gold contracts"}},
            answered={"Made": examples.POLICY},
        ),
    }

    def get(self, request: Request) -> Response:
        page = page_of(
            Policy.objects.primary().after,
            order=("name",),
            limit=limit_of(self.query),
            cursor=Cursor.of(self.query, kinds=(str,), ordering="policies"),
        )
        results = [answers.of_policy(policy) for policy in page.rows]
        return self.answer({**links_of(request, page), "results": results})

    def post(self, request: Request) -> Response:
        body = self.body()
        policy = create_policy(body.pop("name"), **body, actor=request.user, source=SOURCE)
        location = request.build_absolute_uri(f"{request.path}{quote(policy.name, safe='')}/")
        return self.answer(answers.of_policy(policy), headers={"Location": location})


class PolicyEndpoint(Endpoint):
    """`policies/{name}/`"""

    operations = {  # noqa: RUF012 - declared as class data
        "get": Operation(
            id="read_policy",
            summary="What a policy says",
            permission="doc_priority.view_policy",
            scope=READ,
            answer=answers.PolicyAnswer,
            answered={"A policy": examples.POLICY},
        ),
        "patch": Operation(
            id="change_policy",
            summary="Change what a policy says, for everyone who has it",
            permission="doc_priority.change_policy",
            scope=CHANGE,
            body=bodies.PolicyChangeBody,
            answer=answers.PolicyAnswer,
            asked={"A shorter interval": {"reset_interval": 600, "reason": "Gold contracts"}},
            answered={"Changed": examples.POLICY},
        ),
        "delete": Operation(
            id="delete_policy",
            summary="Delete a policy that no customer has",
            permission="doc_priority.delete_policy",
            scope=CHANGE,
            body=bodies.ReasonBody,
            status=204,
            problems=(409,),
            asked={"Why": {"reason": "No contract has it any more"}},
        ),
    }

    def get(self, request: Request, name: str) -> Response:
        require_text(name, name="policy", length=POLICY_NAME_LENGTH)
        policy = Policy.objects.primary().filter(name=name).first()
        if policy is None:
            raise PolicyNotFound(f"There is no policy with the name {name!r}; create it first.")
        return self.answer(answers.of_policy(policy))

    def patch(self, request: Request, name: str) -> Response:
        policy = change_policy(name, **self.body(), actor=request.user, source=SOURCE)
        return self.answer(answers.of_policy(policy))

    def delete(self, request: Request, name: str) -> Response:
        delete_policy(name, **self.body(), actor=request.user, source=SOURCE)
        return self.answer(None)
