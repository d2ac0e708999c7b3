"""What `docs/explanation/promises.md` names as the proof of a promise is there."""

import re

from tests.settings import BASE_DIR


def test_every_test_that_is_named_exists() -> None:
    page = (BASE_DIR / "docs" / "explanation" / "promises.md").read_text("utf-8")
    named = re.findall(r"(?<![\w/])(tests/[\w/.-]*\w)(?:::(\w+))?", page)
    assert named
    for path, test in named:
        assert (BASE_DIR / path).exists(), path
        if test:
            assert f"def {test}(" in (BASE_DIR / path).read_text("utf-8"), f"{path}::{test}"
