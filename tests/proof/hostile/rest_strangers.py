"""Whom REST believes nothing, and who learns nothing of others' customers."""

from typing import Any

from django.contrib.auth.models import User
from knox.models import AuthToken

from tests.api.attempts import Attempt
from tests.api.calls import CALLS
from tests.api.conftest import Caller
from tests.api.reach import FOREIGN, MAKING, MISSING, OF_ONE_CUSTOMER, OWN, new_or_own
from tests.api.refusals import Refusals
from tests.proof.hostile.rest_matrix import REST
from tests.proof.hostile.scene import browser_of, caller_of, superuser, two_customers
from tests.proof.hostile.tried import Tried


def sessions_without_their_token() -> Tried:
    """Every call that changes something, by a browser of somebody who may do everything."""
    tried = Tried("calls")
    with two_customers():
        caller = Caller(client=browser_of(superuser(), strict=True))
        tried.expect(caller.get("docs/").cookies != {}, "the browser was given no token")
        for call in (call for call in CALLS if call.method != "GET"):
            request = call.to(key=new_or_own(call))
            _expect_refused(tried, caller, Attempt("no token", *request, status=403, says="CSRF"))
    return tried


def tokens_that_were_revoked() -> Tried:
    """Every call that is not for everybody, by a client whose token was good before."""
    tried = Tried("calls")
    with two_customers():
        caller = caller_of(superuser())
        tried.expect(caller.get("stats/").status_code == 200, "the token was not good before")
        AuthToken.objects.all().delete()
        for call in CALLS:
            if REST[f"{call.method} {call.route}"]["anonymous"] == "401":
                request = call.to(key=new_or_own(call))
                _expect_refused(tried, caller, Attempt("a revoked token", *request, status=401))
    return tried


def bulks_with_a_stranger() -> Tried:
    """Documents of one customer out of reach, or of none, among those of others: none counts."""
    tried = Tried("calls")
    with two_customers():
        caller = caller_of(_limited_user())
        for other in (FOREIGN, MISSING):
            for keys in ((other, OWN, OWN), (OWN, other, OWN), (OWN, OWN, other)):
                items = [{"customer": key, "document": f"new-{key}"} for key in keys]
                request = ("POST", "checks/", {"items": items})
                _expect_refused(tried, caller, Attempt(f"{keys}", *request, status=404, says=other))
    return tried


def foreign_as_missing() -> Tried:
    """Every call about a customer: of one out of reach it answers as of one that is not there."""
    tried = Tried("pairs of calls")
    with two_customers():
        caller = caller_of(_limited_user())
        for call in (*OF_ONE_CUSTOMER, *MAKING):
            foreign, missing = (caller.request(*call.to(key=key)) for key in (FOREIGN, MISSING))
            seen = _told(foreign, FOREIGN), _told(missing, MISSING)
            tried.expect(seen[0] == seen[1], f"{call}: {seen[0]} of the foreign one, not {seen[1]}")
    return tried


def _limited_user() -> User:
    """May do everything, with its own customers."""
    return User.objects.create(username="limited", is_superuser=True)


def _expect_refused(tried: Tried, caller: Caller, attempt: Attempt) -> None:
    refusals = Refusals(caller)
    refusals.attempt(attempt)
    tried.add(Tried("calls", refusals.sent, refusals.faults))
    tried.expect(refusals.did_nothing, f"{attempt}: something was done")


def _told(answer: Any, key: str) -> tuple[int, bytes, dict[str, str]]:
    """All of the answer but the key."""
    return answer.status_code, answer.content.replace(key.encode(), b"-"), dict(answer.headers)
