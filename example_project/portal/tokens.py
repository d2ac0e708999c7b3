"""The tokens with which somebody's REST clients show who they are."""

from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken
from knox.settings import knox_settings

from example_project.portal.models import Client
from example_project.portal.selectors import Visitor


class TooManyTokens(Exception):  # noqa: N818 - says what happened
    """This user has as many tokens as one may have."""


def tokens_of(user: Visitor) -> QuerySet[Any]:
    """This user's tokens that still work, newest first."""
    works = Q(expiry=None) | Q(expiry__gt=timezone.now())
    tokens: QuerySet[Any] = AuthToken.objects.filter(works, user=user).order_by("-created")
    return tokens


def make_token(user: Visitor) -> str:
    """A new token for this user; nobody can read it again."""
    if tokens_of(user).count() >= knox_settings.TOKEN_LIMIT_PER_USER:
        raise TooManyTokens
    _, token = AuthToken.objects.create(user)
    return str(token)


def first_call(user: Visitor, *, token: str, site: str) -> str:
    """A line for the terminal that does something this user may do; empty if there is nothing."""
    curl = f'curl -H "Authorization: {knox_settings.AUTH_HEADER_PREFIX} {token}"'
    client = Client.objects.of_member(user).first()
    if client is not None and user.has_perm("doc_priority.check_customer"):
        body = """-H "Content-Type: application/json" -d '{"document": "my-first-document"}'"""
        return f"{curl} {body} {site}{reverse('doc_priority:check', args=[client.key])}"
    if user.has_perm("doc_priority.view_customer"):
        return f"{curl} {site}{reverse('doc_priority:customers')}"
    return ""
