"""The picture of the waits: a file by itself, and everything in it also as text."""

import re
from xml.etree import ElementTree

import pytest

from doc_priority.simulation import FIRST_COME, ROUND_ROBIN, AtOnce, Kind, Scenario, Simulation
from doc_priority.simulation.drawing import WIDTH, drawing_of
from doc_priority.simulation.scale import Scale
from doc_priority.simulation.wording import in_seconds
from doc_priority.types import SECOND

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawing() -> ElementTree.Element:
    kinds = (Kind("flood", 1, AtOnce(500, 0)), Kind("one", 3, AtOnce(1, 1)))
    simulation = Simulation(Scenario(kinds, workers=1, service=SECOND, length=2))
    outcomes = [simulation.outcome(FIRST_COME), simulation.outcome(ROUND_ROBIN)]
    text = drawing_of(outcomes, title="Waits of <one> & all", subtitle="One worker.")
    return ElementTree.fromstring(text)  # noqa: S314 - our own file


def texts(drawing: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in drawing.iter(f"{SVG}text")]


def test_it_has_a_title_and_a_description(drawing):
    assert drawing.get("role") == "img"
    assert drawing.get("aria-labelledby") == "t d"
    title, description = drawing.find(f"{SVG}title"), drawing.find(f"{SVG}desc")
    assert (title.get("id"), title.text) == ("t", "Waits of <one> & all")
    assert description.get("id") == "d"
    assert description.text.startswith("One worker. flood, first come, first served: median 249 s,")
    assert "one, round robin: median 3.00 s, 95 % 4.00 s, 99 % 4.00 s." in description.text


def test_values_are_written_out(drawing):
    found = texts(drawing)
    assert "flood (1 customer, 500 documents)" in found
    assert "one (3 customers, 3 documents)" in found
    assert found.count("round robin") == 2
    assert {"249 s", "3.00 s", "4.00 s", "1 ms", "100 ms", "1 s", "1,000 s"} <= set(found)


def test_everything_lies_within_the_picture(drawing):
    _, _, width, height = map(int, drawing.get("viewBox").split())
    assert width == WIDTH
    for one in drawing.iter():
        for name, most in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(one.get(name, 0)) <= most


def test_it_is_alone_and_has_colours_for_the_dark(drawing):
    text = ElementTree.tostring(drawing, encoding="unicode")
    assert "prefers-color-scheme: dark" in text
    assert not re.search(r"(href|url\(|@import|<script)", text)


def test_the_scale_goes_up_by_powers_of_ten():
    scale = Scale.of([0, 50, 20 * SECOND], 100, 600)
    assert [moment for moment, _ in scale.ticks()] == [10**power for power in range(3, 9)]
    assert [scale.x(one) for one in (0, 1_000, 10_000, 100 * SECOND)] == [100, 100, 200, 600]


def test_a_scale_without_waits_has_some_length():
    scale = Scale.of([0], 100, 600)
    assert [scale.x(one) for one in (0, 1_000, 100_000)] == [100, 100, 600]


@pytest.mark.parametrize(
    ("microseconds", "shown"),
    [
        (0, "0.000 s"),
        (188_649, "0.189 s"),
        (2_400_000, "2.40 s"),
        (47_250_000, "47.2 s"),
        (473_017_387, "473 s"),
        (12_356_000_000, "12,356 s"),
    ],
)
def test_seconds(microseconds, shown):
    assert in_seconds(microseconds) == shown
