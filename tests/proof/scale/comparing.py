"""The same with few customers and with many: what may take longer, and what may not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.proof.scale.asking import (
    CHECK,
    CHECK_OF_ANYBODY,
    CHECK_WITH_DOCUMENT,
    CHECKS,
    LIVE_LIST,
    REST_LIST,
    REST_WORST_FIRST,
    Question,
    deep_live_list,
    naive_questions,
    questions,
)
from tests.proof.scale.bounds import Bounds
from tests.proof.scale.filling import COUNTING
from tests.proof.scale.sizes import Size
from tests.proof.scale.tables import columns, crowd_columns, crowd_row, heading, line, row
from tests.proof.scale.turns import Measured, measured
from tests.proof.suite import Trial

NAIVE_ROUNDS = 3
HOT = f"the same {CHECKS} customers again and again, {COUNTING} counting"
ANYBODY = "customers drawn at random from all"
LIST = f"{COUNTING} of them counting at any size"


def compare(trial: Trial, made: Sequence[Size], bounds: Bounds) -> None:
    trial.say(heading(bounds.customers))
    found = dict(_measured(trial, made, bounds))
    trial.tabulate(
        "Times, and how many times they are those with the fewest customers",
        columns(bounds.customers),
        (row(one, bounds.customers) for one in found.values()),
    )
    _find_growths(trial, found, bounds)
    _find_queries(trial, found.values())
    _tabulate_crowd(trial, made[-1], found, bounds)
    for question in naive_questions():
        twin = measured(question, made, rounds=NAIVE_ROUNDS)
        trial.control(question.name, seen=_told(twin), caught=twin.largest > bounds.list_growth)


def _measured(trial: Trial, made: Sequence[Size], bounds: Bounds) -> Iterator[tuple[str, Measured]]:
    for question in questions(bounds.deep_page):
        one = measured(question, made, rounds=bounds.rounds)
        trial.say(line(one, bounds.customers))
        yield one.name, one


def _lists(bounds: Bounds) -> tuple[Question, ...]:
    return LIVE_LIST, deep_live_list(bounds.deep_page), REST_LIST, REST_WORST_FIRST


def _find_growths(trial: Trial, found: Mapping[str, Measured], bounds: Bounds) -> None:
    for question in (CHECK, CHECK_WITH_DOCUMENT):
        _find_growth(trial, found[question.name], bounds.check_growth, of=HOT)
    _find_growth(trial, found[CHECK_OF_ANYBODY.name], bounds.anybody_growth, of=ANYBODY)
    for question in _lists(bounds):
        _find_growth(trial, found[question.name], bounds.list_growth, of=LIST)


def _find_growth(trial: Trial, one: Measured, limit: float, *, of: str) -> None:
    trial.find(
        f"{one.name} takes at most {limit:g} times as long with {max(one.growth):,} customers",
        asked=f"at most {limit:g} times as long as with {min(one.growth):,}; {of}",
        seen=_told(one),
        held=one.largest <= limit,
        measured=True,
    )


def _told(one: Measured) -> str:
    first, last = min(one.growth), max(one.growth)
    times = f"{one.milliseconds[first]:,.2f} and {one.milliseconds[last]:,.2f} ms"
    return f"{one.largest:.2f} times, {times}"


def _find_queries(trial: Trial, found: Iterable[Measured]) -> None:
    grown = [one.name for one in found if len(set(one.queries.values())) > 1]
    trial.find(
        "Nothing takes more queries with more customers",
        asked="as many queries at every size",
        seen=", ".join(grown) or "as many queries at every size",
        held=not grown,
    )


def _tabulate_crowd(
    trial: Trial, size: Size, found: Mapping[str, Measured], bounds: Bounds
) -> None:
    """What the lists take when many more customers count; nothing is asked of it."""
    rows = []
    for question in _lists(bounds):
        crowded = measured(question, [size], rounds=bounds.rounds, counting=bounds.crowd)
        rows.append(crowd_row(found[question.name], crowded))
        trial.say(f"{bounds.crowd:,} of {size.customers:,} count: {', '.join(rows[-1])}")
    trial.tabulate(
        "Lists when many customers count",
        crowd_columns(size.customers, bounds.crowd),
        rows,
    )
