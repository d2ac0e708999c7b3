"""Addresses of the pages of policies, and what a browser sends of their form."""

from typing import Any

from django.urls import reverse

from doc_priority.models import Policy

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


def change_of(policy: Policy) -> str:
    return reverse("admin:doc_priority_policy_change", args=[policy.pk])
