"""Ways in which customers and policies are made, each with a name that nobody else may have."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from tests.admin.policy_pages import typed
from tests.api.calls import CALLS
from tests.proof.hostile.scene import browser_of, caller_of, error_of
from tests.proof.hostile.text_pages import address

MADE, REFUSED = "made", "refused"
PROBLEM = "application/problem+json"

Ask = Callable[[str], str]
"""Has it made with this name, and gives what came of it."""


class Way(NamedTuple):
    """One of them."""

    title: str
    asking: Callable[[User], Ask]
    stores: str
    """The difference that it makes once."""


def _over_rest(route: str, naming: str, code: str) -> Callable[[User], Ask]:
    (call,) = (one for one in CALLS if (one.method, one.route) == ("POST", route))

    def asking(user: User) -> Ask:
        caller = caller_of(user)
        return lambda name: _problem_or_made(
            caller.post(call.address, {**call.body, naming: name}), code
        )

    return asking


def _problem_or_made(answer: Any, code: str) -> str:
    if answer.status_code == 201:
        return MADE
    is_problem = answer["Content-Type"] == PROBLEM
    if answer.status_code == 409 and is_problem and answer.json()["code"] == code:
        return REFUSED
    return _told(answer)


def _in_the_admin(page: str, fields: Callable[[str], dict[str, Any]]) -> Callable[[User], Ask]:
    def asking(user: User) -> Ask:
        browser = browser_of(user)
        return lambda name: _form_or_made(browser.post(address(page), fields(name)))

    return asking


def _form_or_made(answer: Any) -> str:
    if answer.status_code == 302:
        return MADE
    is_form = answer.status_code == 200 and b"errornote" in answer.content
    if is_form and any(words in answer.content for words in (b"already exists", b"exists already")):
        return REFUSED
    return _told(answer)


def _told(answer: Any) -> str:
    return f"{answer.status_code} {error_of(answer) or repr(answer.content[:200])}"


WAYS = (
    Way(
        "POST customers/",
        _over_rest("customers", "customer", "customer_exists"),
        "+Customer",
    ),
    Way(
        "POST policies/",
        _over_rest("policies", "name", "policy_exists"),
        "+Event(policy) +Policy",
    ),
    Way(
        "the admin's form for a customer",
        _in_the_admin("customer_add", lambda key: {"key": key, "name": "N"}),
        "+Customer +LogEntry",
    ),
    Way(
        "the admin's form for a policy",
        _in_the_admin("policy_add", lambda name: typed(name=name, reason="r")),
        "+Event(policy) +LogEntry +Policy",
    ),
)
