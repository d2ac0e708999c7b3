"""How kinds of customers and spans are written."""

import pytest

from doc_priority.exceptions import InvalidInput
from doc_priority.simulation.kinds import Again, AtOnce, AtRandom, Kind
from doc_priority.simulation.notation import kind_of, span_of
from doc_priority.types import SECOND


@pytest.mark.parametrize(
    ("text", "span"),
    [
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
    ],
)
def test_spans(text, span):
    if span is None:
        with pytest.raises(InvalidInput, match="time span"):
            span_of(text)
    else:
        assert span_of(text) == span


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("quiet:50:1/min", Kind("quiet", 50, AtRandom(1, 60 * SECOND))),
        ("busy:2:3/2.5s", Kind("busy", 2, AtRandom(3, 2_500_000))),
        ("flood:1:5000@10min", Kind("flood", 1, AtOnce(5_000, 600 * SECOND))),
        ("now:1:5@0s", Kind("now", 1, AtOnce(5, 0))),
        ("rare:1:1@every:20min", Kind("rare", 1, Again(1, 1_200 * SECOND))),
    ],
)
def test_kinds(text, kind):
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("text", "message"),
    [
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
    ],
)
def test_what_is_no_kind(text, message):
    with pytest.raises(InvalidInput, match=message):
        kind_of(text)
