"""A proxy cuts 1,000 times before COMMIT, after it, and while it runs; each check is repeated."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from doc_priority import services
from doc_priority.models import Counter, DocumentDecision
from doc_priority.types import Decision
from tests.concurrency.cutting import WAYS, Check, committing, cut_and_repeat, cutting_proxy
from tests.concurrency.proxy import CuttingProxy, Fate, cut_meanwhile, never_sent, reply_lost
from tests.proof.suite import Suite, Trial


@dataclass(frozen=True)
class Bounds:
    cuts: int


@dataclass(frozen=True)
class Moment:
    """When the connection is cut, and whether a repeat may or must find that it was counted."""

    name: str
    fate: Fate
    repeated: frozenset[bool]


MOMENTS = (
    Moment("before COMMIT", never_sent, frozenset({False})),
    Moment("after COMMIT", reply_lost, frozenset({True})),
    Moment("during COMMIT", cut_meanwhile, frozenset({False, True})),
)


def run(trial: Trial, bounds: Bounds) -> None:
    for way in WAYS:
        with cutting_proxy(committing(way)) as proxy:
            for moment in MOMENTS:
                _cut(trial, proxy, way, moment, cuts=bounds.cuts)
        with cutting_proxy(committing(way, named=False)) as proxy:
            _cut_unnamed(trial, proxy, way, cuts=max(bounds.cuts // 10, 5))


def _cut(trial: Trial, proxy: CuttingProxy, way: Check, moment: Moment, *, cuts: int) -> None:
    customer = f"{way.__name__}-{moment.fate.__name__}"
    decisions = [
        cut_and_repeat(partial(way, customer, f"D-{number}"), proxy, moment.fate)
        for number in range(cuts)
    ]
    counted = _counted(customer)
    found = sum(decision.repeated for decision in decisions)
    trial.find(
        f"A repeated document counts once ({way.__name__}, cut {moment.name})",
        asked=f"{cuts:,} cuts, counted {cuts:,} times",
        seen=f"{cuts:,} cuts, counted {counted:,} times; "
        f"{found:,} repeats were given the first decision",
        held=counted == cuts
        and _are_kept(customer, decisions)
        and {decision.repeated for decision in decisions} <= moment.repeated,
    )


def _are_kept(customer: str, decisions: Sequence[Decision]) -> bool:
    """Whether the repeats gave 0, -1, … in turn, and the very same is stored."""
    told = [(decision.document, decision.pending_documents) for decision in decisions]
    rows = DocumentDecision.objects.filter(customer_id=customer).order_by("-pending_documents")
    return list(rows.values_list("document", "pending_documents")) == told and [
        -count for _, count in told
    ] == list(range(len(told)))


def _cut_unnamed(trial: Trial, proxy: CuttingProxy, way: Check, *, cuts: int) -> None:
    customer = f"{way.__name__}-unnamed"
    services.check(customer)  # else the first check has more than one statement
    for _ in range(cuts):
        cut_and_repeat(partial(way, customer, ""), proxy, reply_lost)
    counted = _counted(customer) - 1
    trial.control(
        f"repeating a check that names no document ({way.__name__}, cut after COMMIT)",
        seen=f"{cuts:,} documents counted {counted:,} times",
        caught=counted == 2 * cuts,
    )


def _counted(customer: str) -> int:
    return 1 - Counter.objects.get(customer_id=customer).pending_documents


LOST_ANSWERS = Suite(
    name="lost_answers",
    title="a proxy cuts around COMMIT, and each check is repeated",
    places=("postgresql", "mariadb"),
    run=run,
    short=Bounds(cuts=30),
    full=Bounds(cuts=1_000),
    short_limit=300,
    full_limit=3_600,
)
