"""`simulate`: waits under each discipline, from its arguments and the settings alone."""

import json
from argparse import ArgumentTypeError
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.test.utils import override_settings

from doc_priority.management.simulate import kind, span
from doc_priority.simulation import Again, AtOnce, AtRandom, Kind
from doc_priority.types import SECOND
from tests.commands.conftest import Answer, Lines
from tests.factories import PolicyFactory

pytestmark = pytest.mark.sqlite

SMALL = (
    *("--kind", "quiet:5:1/min"),
    *("--kind", "flood:1:200@10min"),
    *("--workers", 1, "--service", "2s", "--hours", 1),
)


def test_the_table(lines: Lines) -> None:
    first, *table = lines("simulate", *SMALL)
    assert first.startswith("Simulated 1 h, 1 worker, 2 s a document, load 2")
    assert first.endswith("interval 1500 s, nine levels, and depth within 9, seed 1.")
    names = ["first come, first served", "round robin", "idle", "window", "halving"]
    rows = [line for line in table if line.strip().startswith(tuple(names))]
    assert len(rows) == 3 * len(names)
    quiet, flood, everybody = (
        table.index(next(line for line in table if line.startswith(start)))
        for start in ("quiet (5 customers, ", "flood (1 customer, 200 documents)", "all customers")
    )
    assert quiet < flood < everybody
    assert table[quiet + 1].split()[:2] == ["wait", "MEDIAN"]
    assert table[everybody + 1].split() == ["documents", "PER", "HOUR", "DONE", "AFTER", "JAIN"]


def test_in_json(answer: Answer) -> None:
    found = answer("simulate", *SMALL, "--seed", 3, "--recovery", "halving")
    assert (found["workers"], found["service"], found["hours"], found["seed"]) == (1, 2.0, 1.0, 3)
    assert found["policy"] == {
        "reset_interval": 1500,
        "recovery": "idle",
        "thresholds": [-2, -4, -6, -8, -10, -12, -14, -20],
    }
    assert found["levels_only"] is False
    first_come, fair, halving = found["disciplines"]
    assert [first_come["discipline"], fair["discipline"], halving["discipline"]] == [
        *("first come, first served", "round robin", "halving"),
    ]
    assert first_come["makespan"] == halving["makespan"]
    quiet, flood = halving["kinds"]
    assert first_come["kinds"][0]["worst_share"] is None
    assert found["documents"] == quiet["documents"] + flood["documents"]
    assert (quiet["kind"], quiet["customers"], flood["documents"]) == ("quiet", 5, 200)
    assert 0 <= quiet["median"] <= quiet["p95"] <= quiet["p99"] <= quiet["longest"]
    assert flood["worst_share"] == 1 - 21 / 200
    assert quiet["p95"] < first_come["kinds"][0]["p95"] / 10
    assert first_come["jain"] < halving["jain"]

    # The same seed gives the same.
    assert answer("simulate", *SMALL) == answer("simulate", *SMALL)
    assert answer("simulate", *SMALL) != answer("simulate", *SMALL, "--seed", 2)


def test_the_settings_count_unless_told_otherwise(answer: Answer) -> None:
    given = ("--reset-interval", 60, "--thresholds=-1,-2,-3,-4,-5,-6,-7,-8")
    here = answer("simulate", *SMALL, *given)
    assert here["policy"]["reset_interval"] == 60
    assert here["policy"]["thresholds"] == [-1, -2, -3, -4, -5, -6, -7, -8]
    policy = {"RESET_INTERVAL": 60, "THRESHOLDS": range(-1, -9, -1)}
    with override_settings(DOC_PRIORITY=policy):
        assert answer("simulate", *SMALL) == here
    assert here["disciplines"] != answer("simulate", *SMALL)["disciplines"]


@pytest.mark.django_db
def test_a_named_policy(answer: Answer) -> None:
    policy = PolicyFactory(name="gold", reset_interval=60, recovery="halving")
    found = answer("simulate", *SMALL, "--policy", "gold", "--recovery", "window")
    assert found["policy"]["reset_interval"] == 60
    assert found["policy"]["recovery"] == "halving"
    assert found["policy"]["thresholds"] == list(policy.terms.thresholds)
    assert [one["discipline"] for one in found["disciplines"]][2:] == ["window"]
    with pytest.raises(CommandError, match="no policy with the name 'silver'; leave out --policy"):
        call_command("doc_priority", "simulate", "--policy", "silver")


def test_engines_with_nine_levels_only(answer: Answer, lines: Lines) -> None:
    many = ("--kind", "often:1:1/6s", *SMALL)
    deep = answer("simulate", *many, "--recovery", "idle")["disciplines"][2]
    flat = answer("simulate", *many, "--recovery", "idle", "--levels-only")["disciplines"][2]
    assert deep["kinds"][0]["p95"] < flat["kinds"][0]["p95"]
    assert "nine levels only" in lines("simulate", *SMALL, "--levels-only")[0]


def test_more_than_the_workers_can_do_is_said(lines: Lines) -> None:
    table = lines("simulate", "--kind", "all:1:2/s", "--hours", "0.1", "--service", "2s")
    assert "load 2" in table[0]
    assert "2 workers" in table[0]
    assert table[1].startswith("That is more than the workers can do")

    # Long times stay apart.
    table = lines("simulate", "--kind", "a:1:5000@0s", "--service", "1h", "--workers", "1")
    totals = table[-1].split()
    assert totals[-2:] == ["s", "1.000"]
    assert len(totals) == 5


def test_a_long_run_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    call_command(
        *("doc_priority", "simulate", "--kind", "a:1:200000@0s", "--hours", "1"),
        *("--recovery", "idle", "--json"),
    )
    captured = capsys.readouterr()
    assert json.loads(captured.out)["documents"] == 200_000
    assert captured.err.splitlines() == [
        "1 of 3 simulated: first come, first served",
        "2 of 3 simulated: round robin",
        "3 of 3 simulated: idle",
    ]


def test_the_plot(lines: Lines, tmp_path: Path) -> None:
    file = tmp_path / "waits.svg"
    assert lines("simulate", *SMALL, "--plot", file)[-1] == f"The waits are drawn in {file}."
    root = ElementTree.parse(file).getroot()  # noqa: S314 - our own file
    assert root.tag.endswith("svg")
    with pytest.raises(CommandError, match=r"--plot .* cannot be written: No such file"):
        call_command("doc_priority", "simulate", *SMALL, "--plot", tmp_path / "none" / "a.svg")


def test_what_cannot_be_simulated() -> None:
    for arguments, message in [
        (["--kind", "quiet"], "argument --kind: 'quiet' is not a kind of customers"),
        (["--service", "fast"], "argument --service: 'fast' is not a time span"),
        (["--service", "0s"], "0 microseconds for a document"),
        (["--hours", "0"], "argument --hours: '0' is no time at all"),
        (["--hours", ""], "argument --hours: '' is no time at all"),
        (["--hours", "-1"], "argument --hours"),
        (["--hours", "9000"], "argument --hours: '9000' is not a number of hours up to a year"),
        (["--workers", "0"], "argument --workers"),
        (["--workers", "20000"], "20,000 workers; a simulation takes 1 to 10,000"),
        (["--seed", "x"], "argument --seed"),
        (["--recovery", "never"], "argument --recovery: .*'?idle'?, '?window'?, '?halving'?"),
        (["--plot", "waits.png"], "'waits.png' does not end in .svg, and nothing else is drawn"),
        (["--thresholds=1,2"], r"thresholds \(1, 2\) are not a list of eight"),
        (["--thresholds=a"], "argument --thresholds: 'a' is not a list of whole numbers"),
        (["--reset-interval", "5"], "reset_interval 5 is not"),
        (["--kind", "a:1:2000001@0s"], "2,000,001 documents; a simulation takes 1 to 2,000,000"),
        (["--kind", "a:1:1@0s", "--kind", "a:2:1@0s"], "Two kinds of customers are called 'a'"),
        (["--kind", "a:1:1@23h"], "This would be 0 documents"),
    ]:
        with pytest.raises(CommandError, match=message):
            call_command("doc_priority", "simulate", *arguments)


def test_notation_of_spans_and_kinds() -> None:
    for text, length in [
        ("200ms", 200_000),
        ("0.2s", 200_000),
        ("0.0000001s", None),
        ("250us", 250),
        ("s", SECOND),
        ("min", 60 * SECOND),
        ("90m", 5_400 * SECOND),
        ("1.5h", 5_400 * SECOND),
        ("366d", 366 * 86_400 * SECOND),
        ("0s", 0),
        ("367d", None),
        ("", None),
        ("5", None),
        ("-1s", None),
        ("1 s", None),
        ("٣s", None),
        ("9999999999s", None),
    ]:
        if length is None:
            with pytest.raises(ArgumentTypeError, match="time span"):
                span(text)
        else:
            assert span(text) == length
    for text, expected in [
        ("quiet:50:1/min", Kind("quiet", 50, AtRandom(1, 60 * SECOND))),
        ("busy:2:3/2.5s", Kind("busy", 2, AtRandom(3, 2_500_000))),
        ("flood:1:5000@10min", Kind("flood", 1, AtOnce(5_000, 600 * SECOND))),
        ("now:1:5@0s", Kind("now", 1, AtOnce(5, 0))),
        ("rare:1:1@every:20min", Kind("rare", 1, Again(1, 1_200 * SECOND))),
    ]:
        assert kind(text) == expected
    for text, message in [
        ("", "write it as NAME:CUSTOMERS:PATTERN"),
        ("quiet:50", "write it as NAME:CUSTOMERS:PATTERN"),
        ("quiet:50:1", "write it as"),
        ("qui et:50:1/min", "write it as"),
        ("quiet:many:1/min", "write it as"),
        ("quiet:50:1/min/2", "write it as"),
        ("quiet:-5:1/min", "write it as"),
        ("quiet:0:1/min", "has a zero in it"),
        ("quiet:5:0/min", "has a zero in it"),
        ("quiet:5:1/0s", "has a zero in it"),
        ("quiet:5:1@every:0s", "has a zero in it"),
        ("quiet:5:1/fortnight", "'fortnight' is not a time span"),
        ("quiet:5:1@every20min", "'every20min' is not a time span"),
    ]:
        with pytest.raises(ArgumentTypeError, match=message):
            kind(text)
