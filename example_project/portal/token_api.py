"""Where REST clients take a token, and give it back."""

from knox.views import LoginView, LogoutView
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from example_project.portal.authentication import PasswordAuthentication, TokenAuthentication
from example_project.portal.throttles import WrongPasswords


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
