"""The levels and spans of a policy, in words."""

from datetime import timedelta

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from doc_priority import rules
from doc_priority.admin.policy_levels import levels_of
from doc_priority.admin.policy_spans import in_words, short
from doc_priority.types import FLOOR, CounterState, PolicyTerms
from tests.admin.policy_pages import DEFAULT, STEPS

pytestmark = pytest.mark.django_db


def ranges(thresholds: list[int]) -> list[str]:
    return [level.pending_documents for level in levels_of(thresholds)]


def test_the_levels_of_the_default_policy() -> None:
    assert ranges(DEFAULT) == [
        "0 to −2",
        "−3 to −4",
        "−5 to −6",
        "−7 to −8",
        "−9 to −10",
        "−11 to −12",
        "−13 to −14",
        "−15 to −20",
        "−21 and below",
    ]
    assert [level.documents for level in levels_of(DEFAULT)][:2] == ["1 to 3", "4 to 5"]
    assert levels_of(DEFAULT)[-1].documents == "22 and after"


def test_a_level_of_a_single_count() -> None:
    assert ranges(STEPS)[:2] == ["0", "−1"]


def test_a_level_that_no_counter_reaches() -> None:
    deepest = levels_of([*DEFAULT[:7], FLOOR])[-1]
    assert deepest.pending_documents == "never: the counter stops at −1,000,000,000"
    assert deepest.documents == "none"


@given(
    st.lists(st.integers(-60, 0), min_size=8, max_size=8, unique=True).map(
        lambda given: tuple(sorted(given, reverse=True))
    )
)
def test_the_levels_are_what_the_rule_says(thresholds: tuple[int, ...]) -> None:
    terms = PolicyTerms(thresholds=thresholds)
    for level in levels_of(thresholds):
        lowest = level.highest - 50 if level.lowest is None else level.lowest
        for count in range(level.highest, lowest - 1, -1):
            assert rules.priority_of(count, thresholds) == level.priority
            counted = rules.check(CounterState(), terms, 0, documents=1 - count)
            assert counted.pending_documents == count


@pytest.mark.parametrize(
    ("seconds", "column", "sentence"),
    [
        (1500, "25 min", "25 minutes"),
        (10, "10 s", "10 seconds"),
        (61, "1 min 1 s", "1 minute 1 second"),
        (3600, "1 h", "1 hour"),
        (93_784, "1 d 2 h 3 min 4 s", "1 day 2 hours 3 minutes 4 seconds"),
        (31_536_000, "365 d", "365 days"),
        (1.5, "1.5 s", "1.5 seconds"),
    ],
)
def test_spans_are_read_by_people(seconds: float, column: str, sentence: str) -> None:
    span = timedelta(seconds=seconds)
    assert (short(span), in_words(span)) == (column, sentence)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "1 Tag 2 Stunden 30 Minuten"),
        ("es", "1 día 2 horas y 30 minutos"),
        ("pl", "1 dzień 2 godziny 30 minut"),
        ("pt", "1 dia 2 horas e 30 minutos"),
    ],
)
def test_spans_are_joined_as_a_language_does(language: str, sentence: str) -> None:
    with override(language):
        assert in_words(timedelta(days=1, hours=2, minutes=30)) == sentence
