"""Sessions that the server ends, because they were idle in the midst of their transaction."""

import time
from functools import partial

from django.contrib.auth.models import User
from django.db import close_old_connections, connection, transaction
from django.db.models import QuerySet
from django.test import override_settings

from doc_priority import services
from doc_priority.models import Customer
from tests.ended_session import idle_until_ended
from tests.proof.stuck.bearing import CHECK, UNAVAILABLE, told_of, works_again
from tests.proof.stuck.limits import GRACE
from tests.proof.stuck.settings_of_sessions import sessions_with
from tests.proof.stuck.site import Site
from tests.proof.stuck.waiters import waited
from tests.proof.suite import Trial
from tests.sessions import BEGIN, another_session
from tests.stored import everything_stored

HOLD = "UPDATE doc_priority_counter SET pending_documents = -1 WHERE customer_id = 'acme'"
IDLE = 2.0
"""So many seconds the request does nothing, at most: MariaDB counts whole ones."""

ENDED = {"postgresql": "InternalError 25P03", "mysql": "OperationalError 2006"}


def idle(trial: Trial, site: Site) -> None:
    _whoever_keeps_the_row(trial, site)
    _we_over_the_services(trial, site)
    _we_over_rest(trial, site)


def _whoever_keeps_the_row(trial: Trial, site: Site) -> None:
    with another_session() as keeper:
        with keeper.cursor() as cursor:
            cursor.execute(BEGIN[keeper.vendor])
            cursor.execute(HOLD)
        idle_until_ended(keeper)
        began = time.monotonic()
        works = works_again(site)
        seconds = time.monotonic() - began
    trial.find(
        "A row is free when the server has ended the session that kept it",
        asked=f"the next calls are answered, within {GRACE:g} s",
        seen=f"{'answered' if works else 'not answered'} in {seconds:.2f} s",
        held=works and seconds <= GRACE,
        measured=works,
    )


def _we_over_the_services(trial: Trial, site: Site) -> None:
    before, ended = everything_stored(), list[float]()
    told = told_of(partial(_check_idle_and_check, ended))
    seconds = time.monotonic() - ended[0]
    close_old_connections()  # as when a request begins
    unchanged, works = everything_stored() == before, works_again(site)
    right = told == ENDED[connection.vendor] and unchanged and works
    trial.find(
        "The server ends our own session: a named error, nothing half done, and it goes on",
        asked=f"{ENDED[connection.vendor]}, within {GRACE:g} s",
        seen=f"{told} in {seconds:.2f} s; {'nothing' if unchanged else 'something'} stored, "
        f"{'works' if works else 'does not work'} afterwards",
        held=right and seconds <= GRACE,
        measured=right,
    )


def _check_idle_and_check(ended: list[float]) -> None:
    """Notes when the session was ended; the next call is to tell."""
    with transaction.atomic():
        services.check("acme")
        idle_until_ended(connection)
        ended.append(time.monotonic())
        services.check("acme", document="2")


def idle_for_too_long(user: User) -> "QuerySet[Customer]":
    """Whom a user may reach, found out in the request's own transaction, and far too slowly."""
    idle_until_ended(connection)
    return Customer.objects.all()


def _we_over_rest(trial: Trial, site: Site) -> None:
    before = everything_stored()
    reach = {"API_CUSTOMERS": f"{__name__}.idle_for_too_long"}
    with sessions_with(ATOMIC_REQUESTS=True), site.line() as line:
        with override_settings(DOC_PRIORITY=reach):
            told = waited("check", partial(line.ask, *CHECK))
        unchanged, again = everything_stored() == before, waited("check", partial(line.ask, *CHECK))
    right = told.told == UNAVAILABLE and unchanged and again.told == "200"
    trial.find(
        "The same within a request: the next one on the same line is answered",
        asked=f"{UNAVAILABLE} within {IDLE + GRACE:g} s, then 200 within {GRACE:g} s",
        seen=f"{told.told} in {told.seconds:.2f} s; {'nothing' if unchanged else 'something'} "
        f"stored, then {again.told} in {again.seconds:.2f} s",
        held=right and told.seconds <= IDLE + GRACE and again.seconds <= GRACE,
        measured=right,
    )
