"""What makes the proofs fail: what is wrong, what stays slow, and, where all is asked, a gap.

And what is left of one that is interrupted.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.proof import command, performing, records
from tests.proof.interrupting import SIGNALS
from tests.proof.outcomes import Control, Finding, LeftOut, Outcome
from tests.proof.places import PLACES
from tests.proof.suite import Trial
from tests.settings import BASE_DIR

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


@pytest.fixture
def postgresql_away(monkeypatch: pytest.MonkeyPatch) -> None:
    away = replace(PLACES["postgresql"], obstacle=lambda: "nobody there")
    monkeypatch.setattr(command, "PLACES", {**command.PLACES, "postgresql": away})


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """The command decides what ends it; these tests go on."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


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
    assert capsys.readouterr().err == "FAILED  scale: it ran at no place; it runs at postgresql\n"


def test_a_suite_that_is_not_named_may_run_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    code, runs = proof(monkeypatch, [GOOD] * 20)
    assert (code, runs > 1) == (0, True)


@pytest.mark.usefixtures("postgresql_away")
@pytest.mark.parametrize(
    ("options", "code"),
    [((), 0), (("--strict",), 1), (("--places", "postgresql", "sqlite"), 1)],
)
def test_a_place_that_is_asked_for_and_not_reached_fails(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    code: int,
) -> None:
    assert proof(monkeypatch, [GOOD] * 2, "simulation", *options) == (code, 1)
    printed = capsys.readouterr()
    assert "not run: PostgreSQL: nobody there" in printed.out
    assert ("FAILED  PostgreSQL: nobody there" in printed.err) is bool(code)
    assert ("\nproof: failed (small bounds)" in printed.out) is bool(code)


@pytest.mark.usefixtures("postgresql_away")
def test_a_place_that_nobody_asks_for_is_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    strictly = ("simulation", "--strict", "--places", "sqlite")
    assert proof(monkeypatch, [GOOD], *strictly) == (0, 1)


def test_a_suite_that_is_named_twice_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proof(monkeypatch, [GOOD] * 2, "counting", "counting") == (0, 1)


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupted_run_takes_down_what_it_has_set_up(number: signal.Signals) -> None:
    arguments = ("tests.proof", "counting", "--places", "sqlite")
    with subprocess.Popen(
        (sys.executable, "-m", *arguments),
        cwd=BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert any("held" in line for line in process.stdout)  # in the midst of it
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, "\nproof: interrupted\n")
    assert not list(Path(tempfile.gettempdir()).glob(f"*_proof_{process.pid}*"))


def test_a_run_that_will_not_end_is_killed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(performing, "GRACE", 0.1)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as programs inherit it
    deaf = (sys.executable, "-c", "import signal; signal.pause()")
    assert performing.ended_well(deaf, PLACES["sqlite"], seconds=0) is False
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "  SQLite: given up after 0 s"
    assert told[1].endswith(f"look for databases whose names end with _proof_{os.getpid()}")


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
