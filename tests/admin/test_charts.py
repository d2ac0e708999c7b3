"""What the charts draw and say: places, heights, colours' levels, words."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.template.loader import render_to_string
from django.utils import timezone, translation

from doc_priority.admin.charts import DayChart, LevelChart, day_chart, level_chart
from doc_priority.models import Event
from doc_priority.selectors import Day, Overview, Quarter
from tests.factories import EventFactory

BERLIN = ZoneInfo("Europe/Berlin")
QUARTER = timedelta(minutes=15)


def quarters_until(end: datetime, *numbers: int, worst: int = 1, documents: int = 1) -> Day:
    """A day that ends then, with documents in these of its 96 quarters."""
    begins = end - 96 * QUARTER
    quarters = (Quarter(begins + number * QUARTER, documents, worst) for number in numbers)
    return Day(begins, end, tuple(quarters))


def day(*quarters: Quarter, end: datetime) -> Day:
    return Day(end - 96 * QUARTER, end, quarters)


def berlin(*moment: int, fold: int = 0) -> datetime:
    return datetime(*moment, tzinfo=BERLIN, fold=fold).astimezone(UTC)  # type: ignore[arg-type,misc]


def event(at: datetime, kind: Event.Kind = Event.Kind.RESET, actor: str = "maria") -> Event:
    built: Event = EventFactory.build(created_at=at, kind=kind, actor=actor, reason="a flood")
    return built


def labels(chart: DayChart) -> list[str]:
    return [hour.text for hour in chart.hours]


def today_at_noon() -> datetime:
    local = timezone.localtime(datetime.now(UTC))
    return local.replace(hour=12, minute=0, second=0, microsecond=0, fold=0).astimezone(UTC)


def overview(**customers: int) -> Overview:
    priorities = {priority: customers.get(f"at_{priority}", 0) for priority in range(1, 10)}
    return Overview(priorities, counting=0, pinned=0)


def test_the_busiest_level_has_the_longest_bar() -> None:
    chart = level_chart(overview(at_1=40, at_7=10, at_9=1))
    assert [bar.priority for bar in chart.bars] == list(range(1, 10))
    assert [bar.customers for bar in chart.bars] == ["40", *["0"] * 5, "10", "0", "1"]
    lengths = {bar.priority: bar.length for bar in chart.bars}
    assert (lengths[1], lengths[7], lengths[9]) == ("78.000%", "19.500%", "1.950%")
    assert lengths[2] == "0.000%"


def test_without_customers_no_bar_has_a_length() -> None:
    assert {bar.length for bar in level_chart(overview()).bars} == {"0.000%"}


def test_rows_lie_below_each_other_and_fill_the_height() -> None:
    chart = level_chart(overview(at_1=1))
    assert [bar.top for bar in chart.bars] == [chart.row * number for number in range(9)]
    assert chart.height == chart.bars[-1].top + chart.row
    assert all(
        bar.top <= bar.bar_top and bar.bar_top + chart.bar <= bar.top + chart.row
        for bar in chart.bars
    )


def test_each_bar_has_its_name() -> None:
    chart = level_chart(overview(at_1=1, at_7=2))
    assert chart.bars[0].label == "Priority 1: 1 customer"
    assert chart.bars[6].label == "Priority 7: 2 customers"


@pytest.mark.parametrize("language", ["de", "pl", "en"])
def test_places_are_written_the_same_in_every_language(language: str) -> None:
    with translation.override(language):
        drawing = drawn_levels(level_chart(overview(at_1=3, at_2=1)))
    assert 'width="26.000%"' in drawing


def drawn_levels(chart: LevelChart) -> str:
    context = {"chart": chart, "list_url": "/list/"}
    return render_to_string("doc_priority/admin/_chart_levels.html", context)


def drawn_day(chart: DayChart) -> str:
    return render_to_string("doc_priority/admin/_chart_day.html", {"chart": chart})


def test_every_bar_is_a_link_to_its_list() -> None:
    drawing = drawn_levels(level_chart(overview(at_7=2)))
    for priority in range(1, 10):
        assert f'href="/list/?priority={priority}"' in drawing
    assert 'aria-label="Priority 7: 2 customers"' in drawing
    assert 'role="group" aria-label="Customers per priority now' in drawing


def test_a_column_is_as_high_as_its_worst_priority() -> None:
    end = datetime(2030, 5, 6, 12, tzinfo=UTC)
    chart = day_chart(
        day(
            Quarter(end - 96 * QUARTER, documents=2, worst=9),
            Quarter(end - 48 * QUARTER, documents=1, worst=3),
            Quarter(end - QUARTER, documents=1, worst=1),
            end=end,
        )
    )
    step = chart.plot // 9
    assert [column.height for column in chart.columns] == [9 * step, 3 * step, step]
    assert all(column.y + column.height == chart.plot for column in chart.columns)
    assert [column.priority for column in chart.columns] == [9, 3, 1]
    assert [column.x for column in chart.columns] == ["0.000%", "50.000%", "98.958%"]
    assert {column.width for column in chart.columns} == {"0.926%"}


def test_a_column_says_what_it_shows() -> None:
    end = berlin(2030, 5, 6, 12)
    chart = day_chart(
        day(Quarter(end - QUARTER, documents=2, worst=7), end=end),
    )
    assert chart.columns[0].label == "11:45: 2 documents, worst priority 7"
    one = day_chart(day(Quarter(end - QUARTER, documents=1, worst=7), end=end))
    assert one.columns[0].label == "11:45: 1 document, priority 7"


def test_the_axes_have_priorities_upwards_and_times_along() -> None:
    chart = day_chart(quarters_until(berlin(2030, 5, 6, 12), 1))
    assert [level.priority for level in chart.levels] == [1, 3, 5, 7, 9]
    assert chart.levels[-1].y == 0
    assert " ".join(labels(chart)) == "12:00 15:00 18:00 21:00 00:00 03:00 06:00 09:00 12:00"
    assert [hour.x for hour in chart.hours][::4] == ["0.000%", "50.000%", "100.000%"]
    assert [hour.minor for hour in chart.hours] == [False, True] * 4 + [False]


def test_times_are_those_of_the_portal() -> None:
    end = datetime(2030, 5, 6, 12, 15, tzinfo=UTC)
    with timezone.override("Asia/Kathmandu"):
        chart = day_chart(quarters_until(end, 95))
    assert labels(chart) == [
        "18:00",
        "21:00",
        "00:00",
        "03:00",
        "06:00",
        "09:00",
        "12:00",
        "15:00",
        "18:00",
    ]
    assert chart.columns[0].label.startswith("17:45: ")


def test_in_the_night_of_the_long_hour_times_stay_right() -> None:
    """On 27 October 2030 the clock in Berlin goes from 3:00 back to 2:00."""
    end = berlin(2030, 10, 27, 12)
    chart = day_chart(quarters_until(end, *range(52, 64), worst=2))
    assert " ".join(labels(chart)) == "15:00 18:00 21:00 00:00 03:00 06:00 09:00 12:00"
    places = {hour.text: hour.x for hour in chart.hours}
    assert places["00:00"] == "45.833%"
    assert places["03:00"] == "62.500%"
    assert [row.text for row in chart.rows] == [
        "Oct. 27, 2030, 02:00 CEST",
        "Oct. 27, 2030, 02:00 CET",
        "Oct. 27, 2030, 03:00",
    ]
    assert [row.documents for row in chart.rows] == [4, 4, 4]


def test_in_the_night_of_the_missing_hour_times_stay_right() -> None:
    """On 31 March 2030 the clock in Berlin goes from 2:00 on to 3:00."""
    chart = day_chart(quarters_until(berlin(2030, 3, 31, 12), *range(56, 64)))
    places = {hour.text: hour.x for hour in chart.hours}
    assert places["00:00"] == "54.167%"
    assert places["03:00"] == "62.500%"
    assert [row.text[-5:] for row in chart.rows] == ["01:00", "03:00"]


def test_where_midnight_comes_twice_it_is_written_once() -> None:
    """In the Azores the clock goes from 1:00 back to 0:00."""
    with timezone.override("Atlantic/Azores"):
        chart = day_chart(quarters_until(datetime(2030, 10, 27, 12, tzinfo=UTC), 1))
    assert labels(chart).count("00:00") == 1


def test_the_sentence_sums_it_up() -> None:
    end = today_at_noon()
    chart = day_chart(
        day(
            Quarter(end - 13 * QUARTER, documents=1, worst=7),
            Quarter(end - 9 * QUARTER, documents=130, worst=7),
            Quarter(end - QUARTER, documents=1, worst=2),
            end=end,
        )
    )
    assert (
        chart.summary == "132 documents in the last 24 hours; the worst priority was 7, at 09:45."
    )
    assert chart.summary in drawn_day(chart)
    one = day_chart(day(Quarter(end - QUARTER, documents=1, worst=3), end=end))
    assert one.summary == "1 document in the last 24 hours; its priority was 3, at 11:45."


def test_without_documents_it_says_why_there_may_be_none() -> None:
    chart = day_chart(quarters_until(today_at_noon()), corrections=[event(today_at_noon())])
    assert chart == DayChart()
    drawing = drawn_day(chart)
    assert "No document was named in the last 24 hours." in drawing
    assert "Only checks that name their document are kept." in drawing
    assert "<svg" not in drawing


@pytest.mark.parametrize("kind", [Event.Kind.RESET, Event.Kind.PIN, Event.Kind.UNPIN])
def test_corrections_are_ticks_with_a_title(kind: Event.Kind) -> None:
    end = today_at_noon()
    moment = end - timedelta(hours=6, microseconds=1)
    chart = day_chart(quarters_until(end, 95), corrections=[event(moment, kind)])
    (tick,) = chart.ticks
    assert (tick.kind, tick.x) == (kind, "75.000%")
    assert tick.label == f"05:59: {kind.label} by maria (a flood)"
    assert f"<title>{tick.label}</title>" in drawn_day(chart)


def rows(
    corrections: Iterable[Event], *quarters: Quarter, end: datetime
) -> list[tuple[object, ...]]:
    chart = day_chart(day(*quarters, end=end), corrections=list(corrections))
    return [(row.text, row.documents, row.worst, row.corrections) for row in chart.rows]


def test_the_table_sums_up_each_hour() -> None:
    end = today_at_noon()
    assert rows(
        [event(end - timedelta(hours=5), actor=""), event(end - timedelta(minutes=59))],
        Quarter(end - 8 * QUARTER, documents=3, worst=2),
        Quarter(end - 4 * QUARTER, documents=5, worst=9),
        Quarter(end - 3 * QUARTER, documents=7, worst=4),
        end=end,
    ) == [
        ("07:00", 0, None, ["07:00: reset (a flood)"]),
        ("10:00", 3, 2, []),
        ("11:00", 12, 9, ["11:01: reset by maria (a flood)"]),
    ]


def test_the_same_hour_of_two_days_is_two_rows() -> None:
    end = today_at_noon() + QUARTER
    (first, *_), (second, *_) = rows(
        [],
        Quarter(end - 96 * QUARTER, documents=1, worst=1),
        Quarter(end - QUARTER, documents=1, worst=1),
        end=end,
    )
    assert second == "12:00"
    assert str(first).endswith(", 12:00")


def test_the_table_has_a_column_for_corrections_when_there_are_some() -> None:
    end = today_at_noon()
    quiet = day_chart(quarters_until(end, 95))
    assert "By hand" not in drawn_day(quiet)
    put_right = day_chart(quarters_until(end, 95), corrections=[event(end - QUARTER)])
    assert "By hand" in drawn_day(put_right)


def test_an_actor_s_markup_stays_text() -> None:
    end = today_at_noon()
    chart = day_chart(quarters_until(end, 95), corrections=[event(end - QUARTER, actor="<b>x</b>")])
    assert "<b>" not in drawn_day(chart)
    assert "&lt;b&gt;x" in drawn_day(chart)
