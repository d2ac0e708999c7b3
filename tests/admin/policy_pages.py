"""The pages of policies, as a browser sends and reads them."""

from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from doc_priority.models import Policy
from tests.factories import CounterFactory

LIST = "/admin/doc_priority/policy/"
ADD = "/admin/doc_priority/policy/add/"
PREVIEW = "/admin/doc_priority/policy/preview/"
DEFAULT = [-2, -4, -6, -8, -10, -12, -14, -20]
STEPS = [0, -1, -2, -3, -4, -5, -6, -7]


def typed(
    *, name: str = "", reset_interval: Any = 1500, recovery: str = "idle", **changes: Any
) -> dict[str, Any]:
    thresholds = changes.pop("thresholds", DEFAULT)
    numbered = {f"threshold_{number}": value for number, value in enumerate(thresholds, start=1)}
    return {
        "name": name,
        "reset_interval": reset_interval,
        "recovery": recovery,
        "reason": "",
        **numbered,
        **changes,
    }


def address(policy: Policy, page: str) -> str:
    return reverse(f"admin:doc_priority_policy_{page}", args=[policy.pk])


def change_of(policy: Policy) -> str:
    return address(policy, "change")


def text_of(response: HttpResponse) -> str:
    assert response.status_code == 200
    return response.content.decode()


def delete_ticked(admin: Client, *policies: Policy) -> Any:
    ticked = [policy.pk for policy in policies]
    data = {"action": "delete_selected", "_selected_action": ticked, "post": "yes"}
    return admin.post(LIST, data, follow=True)


def form_of(response: Any) -> Any:
    assert response.status_code == 200
    return response.context["adminform"].form


def refused(response: Any) -> dict[str, list[str]]:
    return {name: list(errors) for name, errors in form_of(response).errors.items()}


def messages_of(response: Any) -> list[tuple[str, str]]:
    return [(message.level_tag, str(message)) for message in response.context["messages"]]


def seen(response: Any) -> dict[str, str]:
    """What a browser sends back of the question."""
    confirmation = form_of(response).confirmation
    text = response.content.decode()
    values = {"terms_seen": confirmation.terms_seen, "moves_seen": confirmation.moves_seen}
    for name, value in values.items():
        assert f'<input type="hidden" name="{name}" value="{value}">' in text
    return values


def count(policy: Policy, *pending_documents: int) -> None:
    for pending in pending_documents:
        CounterFactory(customer__policy=policy, pending_documents=pending)
