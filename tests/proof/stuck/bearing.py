"""What callers are told while the database will not, and whether it is all as before."""

from collections import Counter as Tally
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NamedTuple

from django.db import DatabaseError

from doc_priority import services
from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Counter
from tests.api.writes import WRITES as ADDRESSES
from tests.proof.stuck.limits import GRACE
from tests.proof.stuck.site import Site
from tests.proof.stuck.waiters import longest, waited
from tests.proof.suite import Trial
from tests.service_calls import WRITES
from tests.stored import everything_stored

UNAVAILABLE = "503 database_unavailable"
CHECK = ADDRESSES["check"]


class Fault(NamedTuple):
    """What is wrong with the database, and by which name the services tell it."""

    title: str
    told: str
    present: Callable[[], AbstractContextManager[Any]]
    waits: float = 0
    """So many seconds it keeps a caller waiting before it is one."""


def make_acme() -> None:
    """A customer for all of the calls, also for those that take a policy away."""
    services.check_many([("acme", "1"), "acme"])
    thresholds = [0, -1, -2, -3, -4, -5, -6, -7]
    services.create_policy("gold", reset_interval=1500, recovery="idle", thresholds=thresholds)
    services.set_policy("acme", policy="gold")


def bear(trial: Trial, site: Site, fault: Fault) -> None:
    before, limit = everything_stored(), fault.waits + GRACE
    with fault.present():
        waits = [waited(name, partial(told_of, call)) for name, call in WRITES.items()]
        asked = [waited(name, partial(site.ask, *call)) for name, call in ADDRESSES.items()]
    unchanged, works = everything_stored() == before, works_again(site)
    told, answers = Tally(wait.told for wait in waits), Tally(wait.told for wait in asked)
    right = set(told) == {fault.told} and set(answers) == {UNAVAILABLE} and unchanged and works
    slowest = longest([*waits, *asked])
    trial.find(
        f"{fault.title}: every call fails by name and does nothing, and works afterwards",
        asked=f"{fault.told}, REST {UNAVAILABLE}, within {limit:g} s",
        seen=f"{_listed(told)}, REST {_listed(answers)}, the slowest after {slowest:.2f} s; "
        f"{'nothing' if unchanged else 'something'} stored, "
        f"{'works' if works else 'does not work'} afterwards",
        held=right and slowest <= limit,
        measured=right,
    )


def told_of(call: Callable[[], object]) -> str:
    """The error's name, of the driver's also its code; `answered` if there was none."""
    try:
        call()
    except DocPriorityError as error:
        return type(error).__name__
    except DatabaseError as error:
        return f"{type(error).__name__} {_code(error)}".rstrip()
    return "answered"


def works_again(site: Site) -> bool:
    """Both ways, each counting once."""
    pending = _pending()
    services.check("acme")
    return site.ask(*CHECK) == "200" and _pending() == pending - 2


def _code(error: DatabaseError) -> object:
    """As the server gives it, or a library of its driver; a server that lets nobody in has none."""
    cause = error.__cause__
    for name in ("sqlstate", "sqlite_errorname"):
        if code := getattr(cause, name, None):
            return code
    if isinstance(error.args[0], int):
        return error.args[0]
    kind = type(cause).__name__
    return "" if kind == type(error).__name__ else kind


def _pending() -> int:
    return Counter.objects.get(customer="acme").pending_documents


def _listed(told: Tally[str]) -> str:
    return ", ".join(f"{number} times {one}" for one, number in told.items())
