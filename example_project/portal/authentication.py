"""How a REST client shows who it is, and which customers it then reaches."""

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from knox import auth
from rest_framework.exceptions import AuthenticationFailed

from doc_priority.models import Customer
from example_project.portal.models import Client


class TokenAuthentication(auth.TokenAuthentication):  # type: ignore[misc]  # Knox has no types
    """Knox's, which fails on a token that is no text instead of refusing it."""

    def authenticate_credentials(self, token: bytes) -> Any:
        if not token.isalnum():
            raise AuthenticationFailed(_("Invalid token."))
        return super().authenticate_credentials(token)


class TokenScheme(KnoxTokenScheme):  # type: ignore[no-untyped-call]  # its class hook has no types
    """What the API's own description says about the tokens."""

    target_class = "example_project.portal.authentication.TokenAuthentication"


def customers_of(user: User | AnonymousUser) -> QuerySet[Customer]:
    """All of them for staff who may view customers; for everybody else their own."""
    if user.has_perm("portal.view_client"):
        return Customer.objects.all()
    return Customer.objects.filter(key__in=Client.objects.visible_to(user).values("key"))
