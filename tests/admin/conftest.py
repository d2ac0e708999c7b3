"""The people who sign in to the admin, what its lists show, and what the form of a policy sends."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from doc_priority.models import Policy
from tests.factories import PolicyFactory

SignIn = Callable[..., Client]
CUSTOMERS = "admin:doc_priority_customer_changelist"
LIST = "/admin/doc_priority/policy/"
ADD = "/admin/doc_priority/policy/add/"
PREVIEW = "/admin/doc_priority/policy/preview/"
DEFAULT = [-2, -4, -6, -8, -10, -12, -14, -20]
STEPS = [0, -1, -2, -3, -4, -5, -6, -7]


@pytest.fixture
def sign_in(db: None) -> SignIn:
    """A browser in which a member of staff with these permissions of the app is signed in."""

    def signed_in(*codenames: str, username: str = "maria") -> Client:
        user = User.objects.create_user(username, is_staff=True)
        found = Permission.objects.filter(
            content_type__app_label="doc_priority", codename__in=codenames
        )
        assert found.count() == len(codenames)
        user.user_permissions.set(found)
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def admin(db: None) -> Client:
    """A browser in which somebody with all permissions is signed in."""
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def gold() -> Policy:
    return PolicyFactory(name="gold")


def listed(client: Client, query: str = "") -> list[int]:
    """The customers on the page of this address, in their order."""
    response = client.get(f"{reverse(CUSTOMERS)}?{query}")
    assert response.status_code == 200, response.headers.get("Location")
    return [
        int(pk)
        for pk in re.findall(
            r'data-customer="(\d+)" data-cell="priority"', response.content.decode()
        )
    ]


def text_of(response: HttpResponse) -> str:
    """What a reader sees, with single spaces."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())


def told(response: HttpResponse) -> list[str]:
    """The messages on a page that was redirected to."""
    return [str(message) for message in response.context["messages"]]


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
