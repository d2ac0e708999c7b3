"""What somebody typed into a form while their session ended; it comes back once they sign in.

The form says who opened it, signed. When it is sent by nobody who is signed in, the fields are kept
in the session that the login takes over, so never in an address, which servers log. Only who opened
the form gets them back, only at the same address, and nothing is done until they send it again.
"""

from collections.abc import Callable
from functools import wraps
from time import time
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.sessions.backends.signed_cookies import SessionStore as CookieStore
from django.core import signing
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _

OPENED_BY = "opened_by"
"""The field of a form that says who opened it."""

MOST_KEPT = 64 * 1024
"""Characters: room for as many customers as one form takes, and for a reason."""

LONGEST = 60 * 60
"""Seconds after which it is not given back any more."""

_KEY = "doc_priority_typed"
_SALT = "doc_priority.admin.signed_out"


def opened_by(request: HttpRequest) -> str:
    return signing.dumps(str(request.user.pk), salt=_SALT)


def keeps_typed(view: Callable[..., HttpResponse], site: AdminSite) -> Callable[..., HttpResponse]:
    """The view of an admin, which sends to the login whoever may not enter.

    It has checked the CSRF token by then, so what is kept was sent by a page of the portal.
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        was_sent_away = request.method == "POST" and response.status_code == 302
        if was_sent_away and not site.has_permission(request):
            _keep(request)
        return response

    return answer


def _keep(request: HttpRequest) -> None:
    if isinstance(request.session, CookieStore):
        # A cookie is too small, and whoever has the browser can read it.
        return
    fields = request.POST.copy()
    fields.pop("csrfmiddlewaretoken", None)
    try:
        author = signing.loads(
            fields.get(OPENED_BY, ""), salt=_SALT, max_age=settings.SESSION_COOKIE_AGE
        )
    except signing.BadSignature:
        return
    typed = fields.urlencode()
    if len(typed) <= MOST_KEPT:
        request.session[_KEY] = [_address(request), author, time(), typed]


def _address(request: HttpRequest) -> str:
    """However a login on the way back writes it."""
    return f"{request.path}?{request.GET.urlencode()}"


def typed_before(request: HttpRequest) -> QueryDict | None:
    """What this user sent to this address while signed out; it is given once."""
    kept = request.session.get(_KEY)
    if request.method != "GET" or kept is None:
        return None
    address, author, since, typed = kept
    is_theirs = author == str(request.user.pk) and time() - since < LONGEST
    if is_theirs and address != _address(request):
        return None
    del request.session[_KEY]
    return QueryDict(typed, encoding="utf-8") if is_theirs else None


def say_nothing_was_done(request: HttpRequest) -> None:
    said = _(
        "You were signed out before you sent this, so nothing was done. "
        "Here is what you typed: look at it and send it again."
    )
    messages.warning(request, said)
