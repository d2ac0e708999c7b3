"""Whoever lacks an extra is told which one; the wheel alone is asked in `tests/wheel`."""

import pytest

from doc_priority.extras import require


def test_what_is_installed_is_not_mentioned():
    require("api", "django", "rest_framework")


def test_what_is_missing_names_its_extra():
    with pytest.raises(ModuleNotFoundError) as raised:
        require("celery", "django", "no_such_module")
    assert raised.value.name == "no_such_module"
    assert str(raised.value) == (
        "no_such_module is not installed, and this part of doc_priority needs it: "
        "pip install 'django-doc-priority[celery]'"
    )
