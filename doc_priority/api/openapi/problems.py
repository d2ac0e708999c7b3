"""The errors of the description: when each comes, and what it looks like."""

from collections.abc import Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

from django.utils import translation
from rest_framework import exceptions as rest

from doc_priority import exceptions as ours
from doc_priority.api import problems
from doc_priority.api.lengths import LengthRequired
from doc_priority.api.parsers import MAX_BODY
from doc_priority.exceptions import not_found


class ProblemKind(NamedTuple):
    """A status, and some of the errors that lead to it."""

    description: str
    errors: Mapping[str, Exception]

    def examples(self) -> dict[str, Any]:
        """What the API answers to each error."""
        view = SimpleNamespace(kwargs={"key": "acme corp"})
        answers = {
            name: problems.problem_response(error, {"view": view})
            for name, error in self.errors.items()
        }
        return {name: answer.data for name, answer in answers.items() if answer is not None}


@cache
def problem_kinds() -> dict[int, ProblemKind]:
    """By status, in the language of all errors."""
    with translation.override(None):
        return {**_of_the_request(), **_of_the_caller(), **_of_what_is_there(), **_of_the_moment()}


def _of_the_request() -> dict[int, ProblemKind]:
    reason = rest.ErrorDetail(str(ours.InvalidText()), ours.InvalidText.code)
    limit = rest.ErrorDetail("'0' is not a whole number from 1 to 100.", "invalid_input")
    return {
        400: ProblemKind(
            "Something in the request is not what the call takes; `errors` names it.",
            {
                "In the body": rest.ValidationError({"reason": [reason]}),
                "After the question mark": problems.InvalidParameters({"limit": [limit]}),
                "In the address": ours.InvalidKey(),
                "No JSON": rest.ParseError("The body is not JSON."),
            },
        ),
        406: ProblemKind("Only application/json is spoken here.", {"XML": rest.NotAcceptable()}),
        411: ProblemKind("The body has no length.", {"In chunks": LengthRequired()}),
        413: ProblemKind("The body is too large.", {"Too large": problems.BodyTooLarge(MAX_BODY)}),
        415: ProblemKind(
            "The body is not plain JSON in UTF-8.",
            {"A form": rest.UnsupportedMediaType("application/x-www-form-urlencoded")},
        ),
    }


def _of_the_caller() -> dict[int, ProblemKind]:
    permission = "This needs the permission doc_priority.reset_customer."
    return {
        401: ProblemKind("Nobody is signed in.", {"Nobody": rest.NotAuthenticated()}),
        403: ProblemKind(
            "The user lacks the permission, or the CSRF token of a session is missing.",
            {"No permission": rest.PermissionDenied(permission)},
        ),
    }


def _of_what_is_there() -> dict[int, ProblemKind]:
    return {
        404: ProblemKind(
            "There is no such customer, policy or page within this user's reach.",
            {
                "No customer": not_found("acme"),
                "No policy": ours.PolicyNotFound(),
                "No page": problems.InvalidCursor(),
            },
        ),
        409: ProblemKind(
            "It exists already, or is still in use.",
            {
                "A customer exists": ours.CustomerExists(),
                "A policy exists": ours.PolicyExists(),
                "A policy is in use": ours.PolicyInUse(),
                "The portal holds on to it": problems.ProtectedByPortal(),
            },
        ),
    }


def _of_the_moment() -> dict[int, ProblemKind]:
    return {
        429: ProblemKind(
            "Too many requests; `Retry-After` says when to come back.",
            {"Too many": rest.Throttled(wait=30)},
        ),
        503: ProblemKind(
            "The counter stayed locked, or the database does not answer; try again.",
            {
                "Locked": ours.CounterBusy(),
                "Given up": ours.TransactionConflict(),
                "No database": problems.DatabaseUnavailable(),
            },
        ),
    }
