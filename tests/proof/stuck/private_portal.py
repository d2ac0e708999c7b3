"""The portal on a PostgreSQL server of its own, with the same people."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from django.contrib.auth.models import User
from django.core.management import call_command
from knox.models import AuthToken

from tests.private_postgresql import PrivatePostgresql, obstacle, private_postgresql, standby_of
from tests.proof.stuck.bearing import Fault, bear, make_acme
from tests.proof.stuck.filling import fill
from tests.proof.stuck.full_disk import FULL_TABLESPACE
from tests.proof.stuck.settings_of_sessions import sessions_with
from tests.proof.stuck.site import Site
from tests.proof.suite import Trial


def bear_on_a_private_server(trial: Trial, site: Site) -> None:
    """What no server bears that others need."""
    if reason := obstacle():
        trial.leave_out("a standby and a full disk", reason)
        return
    with _private_portal() as server:
        standby = partial(_on_a_standby_of, server)
        bear(trial, site, Fault("The database is a standby", "InternalError 25006", standby))
        fill(trial, site, FULL_TABLESPACE)


@contextmanager
def _private_portal() -> Iterator[PrivatePostgresql]:
    people = [*User.objects.all(), *AuthToken.objects.all()]
    with private_postgresql("-F") as server, sessions_with(**server.settings):
        call_command("migrate", verbosity=0)
        for row in people:
            row.save(force_insert=True)
        make_acme()
        yield server


@contextmanager
def _on_a_standby_of(primary: PrivatePostgresql) -> Iterator[None]:
    """As where the router leads to a replica."""
    with standby_of(primary) as standby, sessions_with(**standby.settings):
        yield
