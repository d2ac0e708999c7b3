"""When a session ends while someone fills in a form, the fields come back after the next login.

Each form carries the signed id of the user who opened it. When the form is sent without a login,
its fields are kept in the anonymous session, which the login takes over. They are never put into
an address, because servers log addresses. Only the same user gets them back, once, at the same
address, and nothing is saved until that user sends the form again.
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

MOST_KEPT = 64 * 1024
"""Characters: enough for a thousand customers and a reason."""

LONGEST = 60 * 60
"""Seconds for which the fields are kept."""

_KEY = "doc_priority_typed"
_SALT = "doc_priority.admin.signed_out"


def opened_by(request: HttpRequest) -> str:
    """The signed id of the user, for the field of this name in each form."""
    return signing.dumps(str(request.user.pk), salt=_SALT)


def keeps_typed(view: Callable[..., HttpResponse], site: AdminSite) -> Callable[..., HttpResponse]:
    """The view; when it redirects a POST to the login, the fields are kept.

    The view has checked the CSRF token before, so a page of the portal has sent the fields.
    """

    @wraps(view)
    def keeping(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        was_sent_away = request.method == "POST" and response.status_code == 302
        if was_sent_away and not site.has_permission(request):
            _keep(request)
        return response

    return keeping


def _keep(request: HttpRequest) -> None:
    if isinstance(request.session, CookieStore):
        # A cookie is too small, and the next user of the browser could read it.
        return
    fields = request.POST.copy()
    fields.pop("csrfmiddlewaretoken", None)
    try:
        author = signing.loads(
            fields.get("opened_by", ""), salt=_SALT, max_age=settings.SESSION_COOKIE_AGE
        )
    except signing.BadSignature:
        return
    typed = fields.urlencode()
    if len(typed) <= MOST_KEPT:
        request.session[_KEY] = [_address(request), author, time(), typed]


def _address(request: HttpRequest) -> str:
    """With the query encoded again, because a login may encode it differently."""
    return f"{request.path}?{request.GET.urlencode()}"


def typed_before(request: HttpRequest) -> QueryDict | None:
    """The fields that this user sent to this address while signed out; given once."""
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
        "You were signed out before you sent this, so nothing was changed. "
        "Your entries are still here: check them and send them again."
    )
    messages.warning(request, said)
