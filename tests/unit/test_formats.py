"""Moments and durations as sentences and tables say them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils.translation import override

from doc_priority.formats import (
    AT,
    SINCE,
    UNTIL,
    duration,
    duration_after_preposition,
    short_duration,
)

OTHER_DAY = datetime(2020, 11, 18, 20, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def in_utc(settings: Any) -> None:
    settings.TIME_ZONE = "UTC"


def test_durations_are_told_without_what_is_0() -> None:
    for seconds, short, words in (
        (1500, "25 min", "25 minutes"),
        (10, "10 s", "10 seconds"),
        (61, "1 min 1 s", "1 minute 1 second"),
        (3600, "1 h", "1 hour"),
        (93_784, "1 d 2 h 3 min 4 s", "1 day 2 hours 3 minutes 4 seconds"),
        (31_536_000, "365 d", "365 days"),
        (1.5, "1.5 s", "1.5 seconds"),
    ):
        span = timedelta(seconds=seconds)
        assert short_duration(span) == short.replace(" ", "\xa0")
        assert duration(span) == duration_after_preposition(span) == words
    span = timedelta(days=1, hours=2, minutes=30)
    for language, words in (
        ("de", "1 Tag 2 Stunden 30 Minuten"),
        ("es", "1 día 2 horas y 30 minutos"),
        ("pl", "1 dzień 2 godziny 30 minut"),
        ("pt", "1 dia 2 horas e 30 minutos"),
    ):
        with override(language):
            assert duration(span) == words


def test_a_duration_after_a_preposition_has_its_case() -> None:
    span = timedelta(days=2, hours=1)
    for language, words in (("de", "2 Tagen 1 Stunde"), ("pl", "2 dni 1 godziny")):
        with override(language):
            assert duration_after_preposition(span) == words


@pytest.mark.parametrize(
    ("language", "today", "early", "other_day"),
    [
        (
            "en",
            ("at 19:12", "since 19:12", "until 19:12"),
            ("at 01:05", "since 01:05", "until 01:05"),
            (
                "on Nov. 18, 2020 at 20:00",
                "since Nov. 18, 2020, 20:00",
                "until Nov. 18, 2020, 20:00",
            ),
        ),
        (
            "es",
            ("a las 19:12", "desde las 19:12", "hasta las 19:12"),
            ("a la 01:05", "desde la 01:05", "hasta la 01:05"),
            (
                "el 18 de noviembre de 2020 a las 20:00",
                "desde el 18 de noviembre de 2020 a las 20:00",
                "hasta el 18 de noviembre de 2020 a las 20:00",
            ),
        ),
        (
            "pt",
            ("às 19:12", "desde as 19:12", "até às 19:12"),
            ("à 01:05", "desde a 01:05", "até à 01:05"),
            (
                "em 18 de Novembro de 2020 às 20:00",
                "desde 18 de Novembro de 2020 às 20:00",
                "até 18 de Novembro de 2020 às 20:00",
            ),
        ),
        (
            "pl",
            ("o 19:12", "od 19:12", "do 19:12"),
            ("o 01:05", "od 01:05", "do 01:05"),
            (
                "18 listopada 2020 o 20:00",
                "od 18 listopada 2020, 20:00",
                "do 18 listopada 2020, 20:00",
            ),
        ),
        (
            "de",
            ("um 19:12 Uhr", "seit 19:12 Uhr", "bis 19:12 Uhr"),
            ("um 01:05 Uhr", "seit 01:05 Uhr", "bis 01:05 Uhr"),
            (
                "am 18. November 2020 um 20:00 Uhr",
                "seit dem 18. November 2020, 20:00 Uhr",
                "bis zum 18. November 2020, 20:00 Uhr",
            ),
        ),
    ],
)
def test_a_moment_has_its_preposition(
    language: str, today: tuple[str, ...], early: tuple[str, ...], other_day: tuple[str, ...]
) -> None:
    now = datetime.now(UTC)
    with override(language):
        for moment, phrases in (
            (now.replace(hour=19, minute=12), today),
            (now.replace(hour=1, minute=5), early),
            (OTHER_DAY, other_day),
        ):
            assert (AT.of(moment), SINCE.of(moment), UNTIL.of(moment)) == phrases


def test_a_moment_that_is_written_already_stays_as_it_is() -> None:
    assert SINCE.of(OTHER_DAY, lambda moment: f"{moment:%Y-%m-%d %H:%M} UTC") == (
        "since 2020-11-18 20:00 UTC"
    )
