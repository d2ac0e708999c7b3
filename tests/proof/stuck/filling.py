"""Decisions are kept until the disk is full: what came too late must not be there by halves."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from django.db.models import F

from doc_priority import services
from doc_priority.models import Counter, DocumentDecision
from tests.proof.stuck.bearing import UNAVAILABLE, told_of, works_again
from tests.proof.stuck.full_disk import FullDisk, MakeRoom
from tests.proof.stuck.limits import GRACE
from tests.proof.stuck.site import Site
from tests.proof.stuck.small_disk import CannotMountError
from tests.proof.stuck.waiters import waited
from tests.proof.suite import Trial
from tests.stored import everything_stored

BULK = 100
LONG = 150
"""Characters of a document's name: with long ones the disk is full sooner."""

MOST = 1_000
"""After so many calls a disk that still has room is not small."""

Way = Callable[[str], str]


class Filled(NamedTuple):
    """What the first call was told that found no room, and whether it did anything."""

    calls: int
    told: str
    half_done: bool
    seconds: float

    def __str__(self) -> str:
        done = "half of it" if self.half_done else "nothing"
        return f"{self.told} after {self.calls}, in {self.seconds:.2f} s, {done} stored"


def fill(trial: Trial, site: Site, disk: FullDisk) -> None:
    try:
        with disk.present() as make_room:
            _fill(trial, site, disk, make_room)
    except CannotMountError as reason:
        trial.leave_out(disk.title, str(reason))


def _fill(trial: Trial, site: Site, disk: FullDisk, make_room: MakeRoom) -> None:
    before = _difference()
    ways = (_check_many, _check, partial(_over_rest, site))
    filled = [_filled(number, way) for number, way in enumerate(ways)]
    agree = _difference() == before
    if disk.counters_have_room:
        _count_and_go_on(trial, disk, before)
    make_room()
    works = works_again(site) and _check_many("again") == "answered"
    right = (
        [one.told for one in filled] == [disk.told, disk.told, UNAVAILABLE]
        and not any(one.half_done for one in filled)
        and agree
        and works
    )
    trial.find(
        f"{disk.title}: calls fail by name, counters and decisions agree, and it works afterwards",
        asked=f"{disk.told}, REST {UNAVAILABLE}, within {GRACE:g} s, nothing half done",
        seen=f"{'; '.join(map(str, filled))}; they {'agree' if agree else 'do not agree'}, "
        f"{'works' if works else 'does not work'} afterwards",
        held=right and all(one.seconds <= GRACE for one in filled),
        measured=right,
    )


def _filled(way_number: int, way: Way) -> Filled:
    for number in range(MOST):
        before = everything_stored()
        name = f"F-{way_number}-{number}"
        wait = waited(name, partial(way, name))
        if wait.told not in ("answered", "200"):
            return Filled(number, wait.told, everything_stored() != before, wait.seconds)
    raise RuntimeError(f"{MOST} calls did not fill the disk")


def _check_many(name: str) -> str:
    items = [("acme", _long(f"{name}-{number}")) for number in range(BULK)]
    return told_of(lambda: services.check_many(items))


def _check(name: str) -> str:
    return told_of(lambda: services.check("acme", document=_long(name)))


def _over_rest(site: Site, name: str) -> str:
    return site.ask("POST", "customers/acme/check/", {"document": _long(name)})


def _long(name: str) -> str:
    return name.ljust(LONG, ".")


def _difference() -> int:
    """Stays what it is as long as every decision is counted, and every count is one of these."""
    pending = Counter.objects.get(customer="acme").pending_documents
    return pending + DocumentDecision.objects.filter(customer="acme").count()


def _count_and_go_on(trial: Trial, disk: FullDisk, before: int) -> None:
    """How not to: first count, then keep the decision, and live with its error."""
    for number in range(MOST):
        counters = Counter.objects.filter(customer="acme")
        counters.update(pending_documents=F("pending_documents") - 1)
        if told_of(partial(_keep, f"twin-{number}")) != "answered":
            break
    agree = _difference() == before
    trial.control(
        f"{disk.title}: counting, then keeping the decision, and going on after an error",
        seen=f"counters and decisions {'agree' if agree else 'do not agree'}",
        caught=not agree,
    )
    Counter.objects.filter(customer="acme").update(pending_documents=F("pending_documents") + 1)


def _keep(name: str) -> None:
    DocumentDecision.objects.create(
        customer_id="acme",
        document=_long(name),
        pending_documents=0,
        priority=1,
        decided_at=datetime.now(UTC),
    )
