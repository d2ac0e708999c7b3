"""The whole list of bad inputs, and every right, over REST and in the admin."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.proof.hostile.admin_inputs import strange_addresses, strange_forms
from tests.proof.hostile.at_once import made_once
from tests.proof.hostile.controls import AT_ONE_PLACE, EVERYWHERE, IN_A_BROWSER, Planted
from tests.proof.hostile.in_a_browser import obstacle, scripts_that_ran
from tests.proof.hostile.known_inputs import refused_row_by_row
from tests.proof.hostile.log_proof import lines_of_the_log
from tests.proof.hostile.looking import looking_changes_nothing, nothing_without_the_token
from tests.proof.hostile.markup_proof import (
    markup_in_answers,
    markup_on_pages,
    markup_over_rest,
)
from tests.proof.hostile.rest_inputs import refused_by_rest
from tests.proof.hostile.rest_strangers import (
    bulks_with_a_stranger,
    foreign_as_missing,
    sessions_without_their_token,
    tokens_that_were_revoked,
)
from tests.proof.hostile.rights import (
    each_right_in_the_admin,
    each_right_over_rest,
    rights_in_the_admin,
    rights_over_rest,
)
from tests.proof.hostile.spreadsheet import exported_cells
from tests.proof.hostile.tried import Tried
from tests.proof.suite import Suite, Trial

BROWSER_AT = "sqlite"
"""What a browser makes of a page does not depend on the database."""


@dataclass(frozen=True)
class Bounds:
    """Of the requests each so-and-so-many-th, of what is made at once so many rounds.

    Everything else at these places.
    """

    rest: int
    addresses: int
    forms: int
    pages: int
    answers: int
    browser: int
    rounds: int
    lookers: tuple[str, ...]
    languages: tuple[str, ...]
    everything_at: tuple[str, ...]


def run(trial: Trial, bounds: Bounds) -> None:
    _try_input(trial, bounds)
    _try_at_once(trial, bounds)
    _try_strangers(trial)
    for planted in EVERYWHERE:
        _plant(trial, planted)
    if trial.place.name not in bounds.everything_at:
        trial.say("roles, markup and the log do not depend on the database: not run in short")
        return
    _try_rights(trial, bounds)
    _try_texts(trial, bounds)
    for planted in AT_ONE_PLACE:
        _plant(trial, planted)
    if trial.place.name == BROWSER_AT:
        _try_in_a_browser(trial, bounds)


def _try_input(trial: Trial, bounds: Bounds) -> None:
    known = Tried("requests")
    for name, tried in refused_row_by_row():
        trial.say(f"{name}: {tried}")
        known.add(tried)
    _find(trial, "What broke others is refused with a reason", lambda: known)
    _find(
        trial,
        "REST refuses every bad input by name, never with 500, and does nothing",
        lambda: refused_by_rest(every=bounds.rest),
    )
    _find(
        trial,
        "The admin answers every strange address, never with 500, and does nothing",
        lambda: strange_addresses(every=bounds.addresses),
    )
    _find(
        trial,
        "The admin answers every strange form, never with 500, nothing done by half",
        lambda: strange_forms(every=bounds.forms),
    )


def _try_at_once(trial: Trial, bounds: Bounds) -> None:
    _find(
        trial,
        "Of many who make the same at once one makes it, and the others learn why they do not",
        lambda: made_once(rounds=bounds.rounds),
    )


def _try_strangers(trial: Trial) -> None:
    for promise, proof in (
        ("Over REST a session without its token does nothing", sessions_without_their_token),
        ("Over REST a token that was revoked is nobody's", tokens_that_were_revoked),
        ("Of a bulk with one customer out of reach nothing is done", bulks_with_a_stranger),
        ("A customer out of reach is answered for as one that is not there", foreign_as_missing),
    ):
        _find(trial, promise, proof)


def _try_rights(trial: Trial, bounds: Bounds) -> None:
    _find(trial, "Over REST each role may what its row says, and no more", rights_over_rest)
    _find(trial, "In the admin each role may what its row says, and no more", rights_in_the_admin)
    _find(trial, "Each call of REST asks for its own right", each_right_over_rest)
    _find(trial, "Each page of the admin asks for its own right", each_right_in_the_admin)
    _find(
        trial,
        "Looking at any address of the admin changes nothing, and no other site may frame it",
        lambda: looking_changes_nothing(*bounds.lookers),
    )
    _find(
        trial,
        "Without the token of its form no address of the admin does anything",
        nothing_without_the_token,
    )


def _try_texts(trial: Trial, bounds: Bounds) -> None:
    _find(
        trial,
        "No stored text becomes markup",
        lambda: markup_on_pages(every=bounds.pages, languages=bounds.languages),
    )
    _find(
        trial,
        "Nothing that is sent becomes markup",
        lambda: markup_in_answers(every=bounds.answers),
    )
    _find(
        trial,
        "No answer of REST can be taken for a page",
        lambda: markup_over_rest(every=bounds.pages),
    )
    _find(trial, "No cell of the export is a formula", exported_cells)
    _find(trial, "No line of the log can be forged, or tells a name", lines_of_the_log)


def _try_in_a_browser(trial: Trial, bounds: Bounds) -> None:
    if reason := obstacle():
        trial.leave_out("a browser", reason)
        return
    _find(trial, "No stored script runs", lambda: scripts_that_ran(every=bounds.browser))
    _plant(trial, IN_A_BROWSER)


def _find(trial: Trial, promise: str, proof: Callable[[], Tried]) -> None:
    tried = proof()
    trial.find(promise, asked="0 wrong", seen=str(tried), held=tried.held)


def _plant(trial: Trial, planted: Planted) -> None:
    with planted.bug():
        tried = planted.proof()
    caught = [fault for fault in tried.faults if planted.says in fault]
    seen = f"{len(tried.faults):,} of {tried.times:,} wrong: {caught[0] if caught else '-'}"
    trial.control(planted.name, seen=seen, caught=bool(caught))


HOSTILE = Suite(
    name="hostile",
    title="bad input, stored markup, and people without the right",
    places=("sqlite", "postgresql", "mariadb"),
    run=run,
    short=Bounds(
        rest=17,
        addresses=151,
        forms=307,
        pages=23,
        answers=29,
        browser=61,
        rounds=2,
        lookers=("superuser",),
        languages=("en",),
        everything_at=("sqlite",),
    ),
    full=Bounds(
        rest=1,
        addresses=1,
        forms=1,
        pages=1,
        answers=1,
        browser=1,
        rounds=25,
        lookers=("superuser", "support", "viewer"),
        languages=("en", "de", "es", "pl", "pt"),
        everything_at=("sqlite", "postgresql", "mariadb"),
    ),
    short_limit=900,
    full_limit=7_200,
)
