"""What makes the proofs fail: what is wrong, what stays slow, and, where all is asked, a gap."""

import json
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.proof import command, records
from tests.proof.outcomes import Control, Finding, LeftOut, Outcome
from tests.proof.places import PLACES
from tests.proof.suite import Trial

CAUGHT = Control("a bug", "noticed", caught=True)
MISSED = Control("a bug", "did no harm", caught=False)


def found(*, held: bool, measured: bool = False) -> Finding:
    return Finding("a promise", "this", "that", held, measured)


GOOD = Outcome((found(held=True), found(held=True, measured=True)), (CAUGHT,))
SLOW = Outcome((found(held=True), found(held=False, measured=True)), (CAUGHT,))
WRONG = Outcome((found(held=False), found(held=False, measured=True)), (CAUGHT,))
HARMLESS = Outcome((found(held=True),), (MISSED,))
IN_PARTS = Outcome(GOOD.findings, GOOD.controls, left_out=(LeftOut("a disk", "not root"),))


@pytest.fixture(autouse=True)
def one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which servers run here is of no interest."""
    monkeypatch.setattr(command, "PLACES", {"sqlite": PLACES["sqlite"]})


@pytest.fixture(autouse=True)
def seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where records are kept meanwhile."""
    monkeypatch.setattr(records, "FILE", tmp_path / "seen.json")
    return tmp_path / "seen.json"


@pytest.mark.parametrize(
    ("outcomes", "runs", "code"),
    [
        ((GOOD,), 1, 0),
        ((SLOW, GOOD), 2, 0),
        ((HARMLESS, SLOW, GOOD), 3, 0),
        ((SLOW, SLOW, SLOW), 3, 1),
        ((WRONG, GOOD), 1, 1),
        ((SLOW, WRONG, GOOD), 2, 1),
        ((None, GOOD), 1, 1),
    ],
)
def test_only_what_was_measured_is_measured_again(
    monkeypatch: pytest.MonkeyPatch, outcomes: tuple[Outcome | None, ...], runs: int, code: int
) -> None:
    assert proof(monkeypatch, outcomes, "counting") == (code, runs)


def test_the_figures_of_the_promises_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proof(monkeypatch, (SLOW, GOOD), "counting", "--full") == (1, 1)


@pytest.mark.parametrize(
    ("options", "code"),
    [((), 0), (("--full",), 0), (("--strict",), 1), (("--full", "--record"), 1)],
)
def test_what_is_left_out_is_named_and_fails_where_all_is_asked(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    code: int,
) -> None:
    assert proof(monkeypatch, (IN_PARTS,), "stuck", *options) == (code, 1)
    printed = capsys.readouterr()
    assert "not run: stuck on SQLite: a disk: not root" in printed.out
    assert ("FAILED  stuck on SQLite: not all of it was run" in printed.err) is bool(code)


@pytest.mark.parametrize(("outcome", "kept"), [(GOOD, ["stuck"]), (IN_PARTS, []), (SLOW, [])])
def test_a_record_is_of_a_whole_run(
    monkeypatch: pytest.MonkeyPatch, seen: Path, outcome: Outcome, kept: list[str]
) -> None:
    proof(monkeypatch, (outcome,), "stuck", "--full", "--record")
    assert (list(json.loads(seen.read_text("utf-8"))) if seen.exists() else []) == kept


def test_a_suite_that_is_named_and_runs_nowhere_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert proof(monkeypatch, (GOOD,), "counting", "scale") == (1, 1)
    assert capsys.readouterr().err == "FAILED  scale: it ran at no place\n"


def test_a_suite_that_is_not_named_may_run_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    code, runs = proof(monkeypatch, [GOOD] * 20)
    assert (code, runs > 1) == (0, True)


def test_a_trial_keeps_what_it_leaves_out(capsys: pytest.CaptureFixture[str]) -> None:
    trial = Trial(PLACES["sqlite"])
    trial.leave_out("a disk", "not root")
    assert trial.outcome.left_out == (LeftOut("a disk", "not root"),)
    assert "SQLite: not run: a disk: not root" in capsys.readouterr().out


def proof(
    monkeypatch: pytest.MonkeyPatch, outcomes: Sequence[Outcome | None], *arguments: str
) -> tuple[int, int]:
    """The command's exit code, and how many runs there were that found these, one by one."""
    left = iter(outcomes)
    runs = count()

    def perform(*_args: Any, **_options: Any) -> Outcome | None:
        next(runs)
        return next(left)

    monkeypatch.setattr(command, "perform", perform)
    monkeypatch.setattr(sys, "argv", ["proof", *arguments])
    return command.main(), next(runs)
