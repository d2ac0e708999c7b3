"""The tokens of REST clients: taken with a password, and revoked."""

from knox.views import LoginView, LogoutView
from rest_framework.authentication import BasicAuthentication
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from example_project.portal.authentication import TokenAuthentication


class PasswordAttempts(SimpleRateThrottle):
    """So many times may one address try a user name and a password."""

    rate = "10/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return f"password-attempts-{self.get_ident(request)}"


class TakeToken(LoginView):  # type: ignore[misc]  # Knox has no types
    """A token for the user whose name and password the request carries (HTTP Basic)."""

    authentication_classes = (BasicAuthentication,)

    def perform_authentication(self, request: Request) -> None:
        # DRF asks `throttle_classes` too late: after the password was checked.
        throttle = PasswordAttempts()
        if not throttle.allow_request(request, self):
            raise Throttled(throttle.wait())
        super().perform_authentication(request)


class RevokeToken(LogoutView):  # type: ignore[misc]  # Knox has no types
    """The end of the token that the request carries."""

    authentication_classes = (TokenAuthentication,)
