"""Which pages there are, and which of their blocks another test runs."""

from pathlib import Path

from tests.docs.reading import ROOT, Block, Page

DOCS = ROOT / "docs"
GIVEN = ROOT / "tests" / "docs" / "given"

PAGES = (
    ROOT / "README.md",
    *sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts),
)

ELSEWHERE = {("reference/rest", "sh"): "tests/api/test_documentation.py"}
"""Blocks of these pages and languages are run there, and must be."""

EXAMPLES = {
    path.stem: path.read_text(encoding="utf-8").partition("\n\n")[2].strip()
    for path in sorted(DOCS.glob("examples/*.py"))
}
"""Programs without their first line, which `tests/contrib/test_examples.py` runs."""


def name_of(path: Path) -> str:
    """`how-to/policies`; `README`."""
    base = DOCS if path.is_relative_to(DOCS) else ROOT
    return path.relative_to(base).with_suffix("").as_posix()


def given_for(path: Path) -> Path:
    """Where the names are that a page takes for granted; need not be there."""
    return GIVEN / f"{name_of(path).replace('/', '_').replace('-', '_')}.py"


def own_blocks(page: Page) -> list[Block]:
    """Those that no other test runs."""
    return [block for block in page.blocks if not runs_elsewhere(page, block)]


def runs_elsewhere(page: Page, block: Block) -> bool:
    if (name_of(page.path), block.language) in ELSEWHERE:
        return True
    return block.text.strip() in EXAMPLES.values()
