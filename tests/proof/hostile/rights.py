"""Each cell of the matrices compared with what is answered, stored and kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.auth.models import Permission, User
from django.test import Client

from doc_priority.models import Event
from tests.api.calls import CALLS, Call, methods_of_routes
from tests.api.conftest import Caller
from tests.api.reach import FOREIGN, MAKING, OWN
from tests.proof.hostile import admin_matrix, rest_matrix
from tests.proof.hostile.admin_addresses import all_there_is_to_do
from tests.proof.hostile.admin_requests import Ask, admin_requests
from tests.proof.hostile.roles import user_of, user_without
from tests.proof.hostile.scene import (
    Stored,
    browser_of,
    caller_of,
    stored,
    two_customers,
    undone,
)
from tests.proof.hostile.tried import Tried

OF_EVERYBODY = frozenset(("customers", "stats"))
"""Routes whose answers are about all within reach."""

LEAKS = "tells of a foreign customer"

ROWS = {f"{call.method} {call.route}": call for call in CALLS}


@dataclass(frozen=True)
class Cell:
    """What a role asks for, and what must come of it."""

    role: str
    row: str
    expected: str
    changes: bool
    kept_as: str
    ask: Callable[[], str]

    def compare(self, tried: Tried, *, before: Stored) -> None:
        with undone():
            newest = Event.objects.latest("pk").pk
            seen = self.ask()
            self._expect(tried, seen == self.expected, f"{seen}, not {self.expected}")
            self._expect(tried, (stored() != before) == self.changes, self._otherwise)
            if self.changes and self.kept_as:
                kept = list(Event.objects.filter(pk__gt=newest).values_list("kind", "actor"))
                self._expect(tried, kept == [(self.kept_as, self.role)], f"kept as {kept}")

    @property
    def _otherwise(self) -> str:
        return "changed nothing" if self.changes else "changed something"

    def _expect(self, tried: Tried, held: bool, fault: str) -> None:
        tried.expect(held, f"{self.role}: {self.row}: {fault}")


def rights_over_rest(*roles: str) -> Tried:
    """The cells of these roles, or of all; and there is a row for every call that is routed."""
    tried = Tried("answers, rows and events")
    routed = {f"{method} {route}" for method, route in methods_of_routes()}
    tried.expect(set(rest_matrix.REST) == set(ROWS) == routed, "the rows are not the calls")
    with two_customers():
        for role in roles or rest_matrix.REST["GET stats"]:
            expected = {row: cells[role] for row, cells in rest_matrix.REST.items()}
            _try_over_rest(tried, user_of(role), expected, role=role)
    return tried


def each_right_over_rest(*lacking: str) -> Tried:
    """Somebody who lacks a single one: a call that asks for another answers otherwise."""
    tried = Tried("answers, rows and events")
    usual = {row: cells["superuser"] for row, cells in rest_matrix.REST.items()}
    tried.expect(set(rest_matrix.REFUSED_WITHOUT) == _rights(), "the rights are not the app's")
    with two_customers():
        for right in lacking or rest_matrix.REFUSED_WITHOUT:
            user, refused = user_without(right), rest_matrix.REFUSED_WITHOUT[right]
            _try_over_rest(tried, user, usual | refused, role=user.username)
    return tried


def rights_in_the_admin(*roles: str) -> Tried:
    """The cells of these roles, or of all; and there is a row for all there is to do."""
    tried = Tried("answers, rows and events")
    with two_customers():
        rows = admin_requests()
        tried.expect(set(admin_matrix.ADMIN) == set(rows), "the rows are not the requests")
        lacking = sorted(all_there_is_to_do() - {ask.what for ask in rows.values()})
        tried.expect(not lacking, f"no row for {', '.join(lacking)}")
        for role in roles or admin_matrix.ADMIN["GET index"]:
            expected = {row: cells[role] for row, cells in admin_matrix.ADMIN.items()}
            _try_in_the_admin(tried, user_of(role), expected, rows, role=role)
    return tried


def each_right_in_the_admin(*lacking: str) -> Tried:
    """Somebody who lacks a single one, or those that do for it: the others lead as far as ever."""
    tried = Tried("answers, rows and events")
    usual = {row: cells["superuser"] for row, cells in admin_matrix.ADMIN.items()}
    named = {right for rights in admin_matrix.REFUSED_WITHOUT for right in rights.split()}
    tried.expect(named >= _rights(), f"nobody lacks {', '.join(sorted(_rights() - named))}")
    with two_customers():
        rows = admin_requests()
        for rights in lacking or admin_matrix.REFUSED_WITHOUT:
            user, refused = user_without(rights), admin_matrix.REFUSED_WITHOUT[rights]
            _try_in_the_admin(tried, user, usual | refused, rows, role=user.username)
    return tried


def _rights() -> set[str]:
    """Of customers and policies; nobody adds, changes or deletes anything else."""
    rights = Permission.objects.filter(
        content_type__app_label="doc_priority", content_type__model__in=("customer", "policy")
    )
    return set(rights.values_list("codename", flat=True))


def _try_over_rest(
    tried: Tried, user: User | None, expected: Mapping[str, str], *, role: str
) -> None:
    caller = caller_of(user)
    _lock_out(user)
    before = stored()
    for row, call in ROWS.items():
        _rest_cell(role, row, call, caller, expected[row]).compare(tried, before=before)


def _rest_cell(role: str, row: str, call: Call, caller: Caller, expected: str) -> Cell:
    changes = call.method != "GET" and expected.startswith("2")
    key = FOREIGN if role == "stranger" else "own-new" if call in MAKING else OWN

    def ask() -> str:
        answer = caller.request(*call.to(key=key))
        is_narrow = role in ("client", "stranger") and call.method == "GET"
        if is_narrow and call.route in OF_EVERYBODY and FOREIGN.encode() in answer.content:
            return LEAKS
        return str(answer.status_code)

    return Cell(role, row, expected, changes, rest_matrix.KEPT_AS.get(row, ""), ask)


def _try_in_the_admin(
    tried: Tried,
    user: User | None,
    expected: Mapping[str, str],
    rows: Mapping[str, Ask],
    *,
    role: str,
) -> None:
    browser = browser_of(user)
    _lock_out(user)
    before = stored()
    for row, ask in rows.items():
        cell = _admin_cell(role, row, expected[row], partial(_asked, ask, browser))
        cell.compare(tried, before=before)


def _admin_cell(role: str, row: str, cell: str, ask: Callable[[], str]) -> Cell:
    expected = "302" if cell == admin_matrix.LEFT else cell
    changes = cell == admin_matrix.DONE
    return Cell(role, row, expected, changes, admin_matrix.KEPT_AS.get(row, ""), ask)


def _asked(ask: Ask, browser: Client) -> str:
    answer: Any = ask(browser)
    if answer.status_code == 302 and answer["Location"].startswith("/admin/login/"):
        return "login"
    if answer.streaming:
        b"".join(answer.streaming_content)
    return str(answer.status_code)


def _lock_out(user: User | None) -> None:
    """After signing in, while nobody noticed."""
    if user is not None and user.username == "inactive":
        User.objects.filter(pk=user.pk).update(is_active=False)
