"""Which pages there are, and what each says now.

A page is written by hand, but for the parts between `<!-- generated: name -->` and `<!-- end -->`.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.reference import (
    checks,
    commands,
    errors,
    metrics,
    proof,
    rest_operations,
    services,
    settings,
    signals,
)
from tests.settings import BASE_DIR

REMEDY = "run `make reference`"

_PART = re.compile(
    r"(?P<begin><!-- generated: (?P<name>[a-z-]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)


class Page(NamedTuple):
    """A page, and who writes each of its generated parts."""

    name: str
    parts: Mapping[str, Callable[[], str]]
    kind: str = "reference"

    @property
    def path(self) -> Path:
        return BASE_DIR / "docs" / self.kind / f"{self.name}.md"


PAGES = (
    Page("settings", settings.PARTS),
    Page("services", services.PARTS),
    Page("errors", errors.PARTS),
    Page("commands", commands.PARTS),
    Page("checks", checks.PARTS),
    Page("signals", signals.PARTS),
    Page("metrics", metrics.PARTS),
    Page("rest-operations", rest_operations.PARTS),
    Page("promises", proof.PARTS, kind="explanation"),
)


def names_of_parts(page: Page) -> list[str]:
    """The generated parts that the page has a place for."""
    return [match["name"] for match in _PART.finditer(page.path.read_text("utf-8"))]


def current(page: Page) -> str:
    """The page's text with its generated parts as the code has them now."""

    def written(match: re.Match[str]) -> str:
        return f"{match['begin']}\n{page.parts[match['name']]().strip()}\n\n{match['end']}"

    return _PART.sub(written, page.path.read_text("utf-8"))
