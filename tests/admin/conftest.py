"""The people who sign in to the admin."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from doc_priority.models import Policy
from tests.factories import PolicyFactory

SignIn = Callable[..., Client]


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
