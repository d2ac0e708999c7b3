"""The dashboard, on its page and in its refresh; and its charts: places, heights, times, words."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone, translation

from doc_priority import services
from doc_priority.admin.charts import day_chart, level_chart
from doc_priority.models import Event
from doc_priority.selectors import Day, Overview, Quarter
from doc_priority.testing import frozen_time, set_pending_documents, set_priority
from tests.factories import CustomerFactory, EventFactory

pytestmark = pytest.mark.django_db

PAGE = "/admin/doc_priority/customer/dashboard/"
LIVE = "/admin/doc_priority/customer/dashboard/live/"
LIST = "/admin/doc_priority/customer/"


def page(client: Client) -> str:
    response = client.get(PAGE)
    assert response.status_code == 200
    return response.content.decode()


def section(html: str, heading: str) -> str:
    """The part of the page under this heading, its white space as it is read."""
    part = html.split(f"<h2>{heading}</h2>")[1].partition("</section>")[0]
    return " ".join(part.split())


def cells(part: str) -> list[list[str]]:
    """The rows of the first table of a part as text."""
    body = part.split("<tbody>")[1].partition("</tbody>")[0]
    rows = re.findall(r"<tr.*?</tr>", body)
    return [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
        for row in rows
    ]


def test_it_counts_customers_and_leads_to_them(admin: Client) -> None:
    CustomerFactory.create_batch(2)
    for key, priority in [("a", 6), ("b", 7), ("c", 9), ("d", 1)]:
        set_priority(key, priority)
    services.pin("d", priority=8, until=datetime.now(UTC) + timedelta(hours=1))

    shown = page(admin)
    found = re.findall(r'<a href="([^"]*)"><strong>(\d+)</strong>', shown)
    counts = {address.removeprefix(LIST): int(number) for address, number in found}

    assert counts == {"": 6, "?state=counting": 3, "?priority=7-9": 3, "?state=pinned": 1}
    for address, number in counts.items():
        listed = admin.get(LIST + address).context["cl"].result_list
        assert len(listed) == number, address

    part = section(shown, "Customers per priority")
    assert f'href="{LIST}?priority=7"' in part
    assert "Priority 7: 1 customer<" in part
    assert "Priority 1: 2 customers<" in part
    numbers = ["2", "0", "0", "0", "0", "1", "1", "1", "1"]
    assert cells(part) == [[str(level), number] for level, number in enumerate(numbers, start=1)]


def test_the_busiest_are_ten_with_badge_count_countdown_and_link(admin: Client) -> None:
    for number in range(12):
        set_pending_documents(f"customer-{number:02}", -number)
    rows = cells(section(page(admin), "Most sent lately"))
    assert [row[0] for row in rows] == [f"customer-{number:02}" for number in range(11, 1, -1)]
    assert [row[2] for row in rows] == [f"−{number}" for number in range(11, 1, -1)]

    customer = CustomerFactory(key="acme", name="Acme")
    noon = datetime(2030, 5, 6, 12, tzinfo=UTC)
    set_pending_documents("acme", -13, at=noon)
    with frozen_time(noon + timedelta(seconds=300)):
        part = section(page(admin), "Most sent lately")
        services.pin("acme", priority=2, until=noon + timedelta(hours=1))
        pinned = section(page(admin), "Most sent lately")
    with frozen_time(noon + timedelta(hours=2)):
        idle = section(page(admin), "Most sent lately")
    assert cells(part) == [["Acme acme", "7", "−13", "20:00"]]
    assert f'href="{LIST}{customer.pk}/change/"' in part
    assert "dp-badge-7" in part
    assert 'data-seconds="1200"' in part
    assert cells(pinned) == [["Acme acme", "2 pinned", "−13", "20:00"]]
    assert "All counters are at 0" in idle


def test_the_latest_resets_are_ten_with_when_who_why_and_what(admin: Client) -> None:
    now = datetime.now(UTC)
    EventFactory(customer="gone", actor="", reason="")
    EventFactory(customer=CustomerFactory().key, kind="pin", created_at=now)
    none_yet = "No counter has been reset yet."
    assert none_yet in section(page(admin), "Latest resets")

    acme = CustomerFactory(key="acme", name="Acme")
    set_priority("acme", 7)
    services.reset("acme", actor="maria", reason="a flood by mistake")
    moment = timezone.localtime(acme.counter.updated_at).strftime("%H:%M")
    for number in range(12):
        key = CustomerFactory(key=f"reset-{number:02}", name="").key
        EventFactory(customer=key, created_at=now - timedelta(hours=number))
    part = section(page(admin), "Latest resets")
    first, *others = cells(part)
    assert first == [moment, "Acme acme", "maria", "a flood by mistake", "7 → 1"]
    assert [row[1] for row in others] == [f"reset-{number:02}" for number in range(9)]
    assert f'href="{LIST}{acme.pk}/change/"' in part
    assert "/admin/doc_priority/event/?kind__exact=reset" in part


def test_without_customers_it_says_how_one_appears_and_a_refresh_has_the_same_content(
    admin: Client,
) -> None:
    html = page(admin)
    part = section(html, "No customers yet")
    assert "manage.py doc_priority check KEY" in part
    assert "REST" in part
    assert "services.check" in part
    assert "Most sent lately" not in html
    CustomerFactory()
    assert "No customers yet" not in page(admin)

    set_priority("acme", 7)
    services.reset("acme")
    set_priority("busy", 9)
    with frozen_time(datetime(2030, 7, 1, 10, 0, 5, tzinfo=UTC)):
        whole, live = page(admin), admin.get(LIVE)
    part = live.json()["html"]
    assert "Most sent lately" in part
    assert " ".join(part.split()) in " ".join(whole.split())
    assert '<time class="dp-updated">12:00:05</time>' in whole
    assert live.json()["updated"] == "12:00:05"
    assert live["Content-Type"] == "application/json"


def test_the_script_is_told_what_to_do_and_nothing_is_inline(admin: Client, settings: Any) -> None:
    settings.DOC_PRIORITY = {"LIVE_REFRESH_SECONDS": 1200}
    settings.USE_THOUSAND_SEPARATOR = True
    set_priority("acme", 7)
    html = page(admin)
    assert f'data-url="{LIVE}"' in html
    assert 'data-seconds="1200"' in html
    assert 'data-lost="Connection lost, retrying"' in html
    assert 'role="status"' in html
    for name in ("polling", "countdown", "dashboard"):
        assert f'<script src="/static/doc_priority/{name}.js" defer></script>' in html
    assert "/static/doc_priority/charts.css" in html
    content = html.partition('id="content-main"')[2]
    assert "style=" not in content
    assert "<style" not in content
    assert not re.search(r"\son\w+=", content)


QUARTER = timedelta(minutes=15)


def chart_of(
    end: datetime, *quarters: tuple[int, int, int], corrections: Iterable[Event] = ()
) -> dict[str, Any]:
    """A day that ends then; its quarters by their number of 96, documents and worst priority."""
    begins = end - 96 * QUARTER
    found = tuple(
        Quarter(begins + number * QUARTER, documents, worst, begins + (number + 0.2) * QUARTER)
        for number, documents, worst in quarters
    )
    return day_chart(Day(begins, end, found), corrections=list(corrections))


def test_bars_are_as_long_as_their_customers_are_many_and_lead_to_them() -> None:
    def overview(**customers: int) -> Overview:
        priorities = {priority: customers.get(f"at_{priority}", 0) for priority in range(1, 10)}
        return Overview(priorities, counting=0, pinned=0)

    def drawn_levels(chart: dict[str, Any]) -> str:
        context = {"chart": chart, "list_url": "/list/"}
        return render_to_string("doc_priority/admin/_chart_levels.html", context)

    chart = level_chart(overview(at_1=40, at_7=10, at_9=1))
    assert [bar["priority"] for bar in chart["bars"]] == list(range(1, 10))
    assert [bar["customers"] for bar in chart["bars"]] == ["40", *["0"] * 5, "10", "0", "1"]
    lengths = {bar["priority"]: bar["length"] for bar in chart["bars"]}
    assert (lengths[1], lengths[7], lengths[9]) == ("78.000%", "19.500%", "1.950%")
    assert lengths[2] == "0.000%"
    assert {bar["length"] for bar in level_chart(overview())["bars"]} == {"0.000%"}
    # The rows lie below each other and fill the height.
    assert [bar["top"] for bar in chart["bars"]] == [chart["row"] * number for number in range(9)]
    assert chart["height"] == chart["bars"][-1]["top"] + chart["row"]
    for bar in chart["bars"]:
        assert bar["top"] <= bar["bar_top"]
        assert bar["bar_top"] + chart["bar"] <= bar["top"] + chart["row"]

    drawing = drawn_levels(level_chart(overview(at_1=1, at_7=2)))
    for priority in range(1, 10):
        assert f'href="/list/?priority={priority}"' in drawing
    assert 'aria-label="Priority 1: 1 customer"' in drawing
    assert 'aria-label="Priority 7: 2 customers"' in drawing
    assert 'role="group" aria-label="Customers at each priority now' in drawing
    for language in ("de", "pl", "en"):  # Places have a point in each of them.
        with translation.override(language):
            assert 'width="39.000%"' in drawn_levels(level_chart(overview(at_1=1, at_7=2)))


def test_columns_stand_between_axes_that_stay_right_when_the_clocks_change() -> None:
    def berlin(*moment: int) -> datetime:
        return datetime(*moment, tzinfo=ZoneInfo("Europe/Berlin")).astimezone(UTC)  # type: ignore[arg-type,misc]

    noon = datetime(2030, 5, 6, 12, tzinfo=UTC)
    chart = chart_of(noon, (0, 2, 9), (48, 1, 3), (95, 1, 1))
    step = chart["plot"] // 9
    assert [column["height"] for column in chart["columns"]] == [9 * step, 3 * step, step]
    assert all(column["y"] + column["height"] == chart["plot"] for column in chart["columns"])
    assert [column["priority"] for column in chart["columns"]] == [9, 3, 1]
    assert [column["x"] for column in chart["columns"]] == ["0.000%", "50.000%", "98.958%"]
    assert {column["width"] for column in chart["columns"]} == {"0.926%"}
    end = berlin(2030, 5, 6, 12)
    assert (
        chart_of(end, (95, 2, 7))["columns"][0]["label"] == "11:45: 2 documents, worst priority 7"
    )
    assert chart_of(end, (95, 1, 7))["columns"][0]["label"] == "11:45: 1 document, priority 7"

    chart = chart_of(berlin(2030, 5, 6, 12), (1, 1, 1))
    assert [level["priority"] for level in chart["levels"]] == [1, 3, 5, 7, 9]
    assert chart["levels"][-1]["y"] == 0
    labels = " ".join(hour["text"] for hour in chart["hours"])
    assert labels == "12:00 15:00 18:00 21:00 00:00 03:00 06:00 09:00 12:00"
    assert [hour["x"] for hour in chart["hours"]][::4] == ["0.000%", "50.000%", "100.000%"]
    assert [hour["minor"] for hour in chart["hours"]] == [False, True] * 4 + [False]
    with timezone.override("Asia/Kathmandu"):
        chart = chart_of(noon + QUARTER, (95, 1, 1))
    labels = " ".join(hour["text"] for hour in chart["hours"])
    assert labels == "18:00 21:00 00:00 03:00 06:00 09:00 12:00 15:00 18:00"
    assert chart["columns"][0]["label"].startswith("17:45: ")

    # In Berlin on 27 October 2030 from 3:00 back to 2:00, on 31 March from 2:00 on to 3:00.
    chart = chart_of(berlin(2030, 10, 27, 12), *((number, 1, 2) for number in range(52, 64)))
    places = {hour["text"]: hour["x"] for hour in chart["hours"]}
    assert " ".join(places) == "15:00 18:00 21:00 00:00 03:00 06:00 09:00 12:00"
    assert (places["00:00"], places["03:00"]) == ("45.833%", "62.500%")
    assert [(row["text"], row["documents"]) for row in chart["rows"]] == [
        ("2030-10-27 02:00 CEST", "4"),
        ("2030-10-27 02:00 CET", "4"),
        ("2030-10-27 03:00", "4"),
    ]

    chart = chart_of(berlin(2030, 3, 31, 12), *((number, 1, 1) for number in range(56, 64)))
    places = {hour["text"]: hour["x"] for hour in chart["hours"]}
    assert (places["00:00"], places["03:00"]) == ("54.167%", "62.500%")
    assert [row["text"][-5:] for row in chart["rows"]] == ["01:00", "03:00"]

    # In the Azores the clock goes from 1:00 back to 0:00.
    with timezone.override("Atlantic/Azores"):
        chart = chart_of(datetime(2030, 10, 27, 12, tzinfo=UTC), (1, 1, 1))
    assert [hour["text"] for hour in chart["hours"]].count("00:00") == 1


def test_a_day_is_summed_up_with_its_corrections_and_a_table_of_hours() -> None:
    def today_at_noon() -> datetime:
        local = timezone.localtime(datetime.now(UTC))
        return local.replace(hour=12, minute=0, second=0, microsecond=0, fold=0).astimezone(UTC)

    def event(at: datetime, kind: Event.Kind = Event.Kind.RESET, actor: str = "maria") -> Event:
        built: Event = EventFactory.build(created_at=at, kind=kind, actor=actor, reason="a flood")
        return built

    def drawn_day(chart: dict[str, Any]) -> str:
        return render_to_string("doc_priority/admin/_chart_day.html", {"chart": chart})

    chart = chart_of(today_at_noon(), (83, 1, 7), (87, 130, 7), (95, 1, 2))
    said = "132 documents in the last 24 hours. Worst priority: 7, last at 09:48."
    assert chart["summary"] == said
    assert said in drawn_day(chart)
    one = chart_of(today_at_noon(), (95, 1, 3))
    assert one["summary"] == "1 document in the last 24 hours: priority 3, at 11:48."

    chart = chart_of(today_at_noon(), corrections=[event(today_at_noon())])
    assert not chart
    drawing = drawn_day(chart)
    assert "No documents recorded in the last 24 hours." in drawing
    assert "Only checks with a document name are recorded." in drawing
    assert "<svg" not in drawing

    moment = today_at_noon() - timedelta(hours=6, microseconds=1)
    for kind in (Event.Kind.RESET, Event.Kind.PIN, Event.Kind.UNPIN):
        chart = chart_of(today_at_noon(), (95, 1, 1), corrections=[event(moment, kind)])
        (tick,) = chart["ticks"]
        assert (tick["kind"], tick["x"]) == (kind, "75.000%")
        assert tick["label"] == f"05:59: {kind.label} by maria (a flood)"
        assert f"<title>{tick['label']}</title>" in drawn_day(chart)
        assert "Manual changes" in drawn_day(chart)
    markup = [event(moment, actor="<b>x</b>")]
    drawing = drawn_day(chart_of(today_at_noon(), (95, 1, 1), corrections=markup))
    assert "<b>" not in drawing
    assert "&lt;b&gt;x" in drawing

    end = today_at_noon()
    corrections = [event(end - timedelta(hours=5), actor=""), event(end - timedelta(minutes=59))]
    chart = chart_of(end, (88, 3, 2), (92, 5, 9), (93, 7, 4), corrections=corrections)
    assert [tuple(row.values()) for row in chart["rows"]] == [
        ("07:00", "0", None, ["07:00: reset (a flood)"]),
        ("10:00", "3", 2, []),
        ("11:00", "12", 9, ["11:01: reset by maria (a flood)"]),
    ]
    two_days = chart_of(end + QUARTER, (0, 1, 1), (95, 1, 1))
    yesterday, today = (row["text"] for row in two_days["rows"])
    assert yesterday.endswith(" 12:00")
    assert today == "12:00"
    assert "Manual changes" not in drawn_day(two_days)
