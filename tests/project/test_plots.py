"""The committed plots are what the rule and the simulator draw today."""

from xml.etree import ElementTree

import pytest

from tests.plots.pictures import PICTURES, path_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", PICTURES)
def test_it_is_what_would_be_drawn(name: str) -> None:
    assert path_of(name).read_text("utf-8") == PICTURES[name](), "Run `python -m tests.plots`."


@pytest.mark.parametrize("name", PICTURES)
def test_it_says_what_one_sees_and_has_colours_for_the_dark(name: str) -> None:
    picture = ElementTree.parse(path_of(name)).getroot()  # noqa: S314 - our own file
    assert picture.get("role") == "img"
    assert picture.get("aria-labelledby") == "t d"
    assert all((picture.find(f"{SVG}{one}").text or "").strip() for one in ("title", "desc"))
    assert "prefers-color-scheme: dark" in picture.find(f"{SVG}style").text
