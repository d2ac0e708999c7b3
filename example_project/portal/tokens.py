"""The tokens of REST clients: made on a page or taken with a password, and revoked."""

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken
from knox.settings import knox_settings
from knox.views import LoginView, LogoutView
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from example_project.portal.authentication import PasswordAuthentication, TokenAuthentication
from example_project.portal.models import Client

Visitor = User | AnonymousUser


def tokens_of(user: Visitor) -> QuerySet[Any]:
    """This user's tokens that still work, newest first."""
    works = Q(expiry=None) | Q(expiry__gt=timezone.now())
    tokens: QuerySet[Any] = AuthToken.objects.filter(works, user=user).order_by("-created")
    return tokens


def make_token(user: Visitor) -> str:
    """A new token, which nobody can read again; empty if this user has as many as allowed."""
    if tokens_of(user).count() >= knox_settings.TOKEN_LIMIT_PER_USER:
        return ""
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


class WrongPasswords(SimpleRateThrottle):
    """So many wrong passwords may come from one address; each attempt is one until it was right."""

    scope = "wrong_passwords"
    rate = "10/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}

    def forget_attempt(self) -> None:
        history = self.cache.get(self.key, [])
        self.cache.set(self.key, [at for at in history if at != self.now], self.duration)  # type: ignore[attr-defined]  # not in the stubs


class TakeToken(LoginView):  # type: ignore[misc]  # Knox has no types
    """A token for the user whose name and password the request carries (HTTP Basic)."""

    authentication_classes = (PasswordAuthentication,)

    def perform_authentication(self, request: Request) -> None:
        """Throttled before the password is looked at: `throttle_classes` see only who got in."""
        throttle = WrongPasswords()
        if not throttle.allow_request(request, self):
            raise Throttled(throttle.wait())
        super().perform_authentication(request)
        throttle.forget_attempt()


class RevokeToken(LogoutView):  # type: ignore[misc]  # Knox has no types
    """The end of the token that the request carries."""

    authentication_classes = (TokenAuthentication,)
