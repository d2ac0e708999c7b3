"""Who lacks an extra is told which, who has an old library is told the lowest version.

The wheel alone is asked in `tests/wheel`.
"""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from doc_priority.extras import lower_bounds, require

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("api", "celery", "opentelemetry", "procrastinate", "prometheus", "tasks")

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Let a distribution be found as pip leaves one, before any other of its name."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name: str, version: str, *requirements: str) -> None:
        folder = tmp_path / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        lines = ("Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}")
        needed = (f"Requires-Dist: {requirement}" for requirement in requirements)
        (folder / "METADATA").write_text("\n".join([*lines, *needed, ""]), encoding="utf-8")

    return make


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


def test_what_is_too_old_names_both_versions_and_the_remedy(install: Install):
    install("django-doc-priority", "9.0", "celery[redis]<7,>=5.6; extra == 'celery'")
    install("celery", "5.5.3")
    with pytest.raises(ImportError) as raised:
        require("celery", "celery")
    assert str(raised.value) == (
        "celery 5.5.3 is installed, and this part of doc_priority needs 5.6 or newer: "
        "pip install 'celery[redis]<7,>=5.6'"
    )
    assert raised.value.name == "celery"


@pytest.mark.parametrize("old", ["0.1", "5.5.99", "5.5.99rc1", "4.12", "5"])
def test_versions_that_are_too_old(install: Install, old: str):
    install("django-doc-priority", "9.0", 'celery>=5.6; extra == "celery"')
    install("celery", old)
    with pytest.raises(ImportError, match=f"celery {old} is installed"):
        require("celery", "celery")


@pytest.mark.parametrize("lowest", ["5.6", "5.6.0"])
@pytest.mark.parametrize("new", ["5.6", "5.6.0", "5.6.0rc1", "5.10", "10", "5.6+local", "5.7.dev0"])
def test_versions_that_are_new_enough(install: Install, new: str, lowest: str):
    install("django-doc-priority", "9.0", f"celery>={lowest}; extra == 'celery'")
    install("celery", new)
    require("celery", "celery")


def test_the_bounds_of_another_extra_do_not_count(install: Install):
    install("django-doc-priority", "9.0", "django>=99", "celery>=99; extra == 'celery'")
    require("api", "django")


def test_a_library_that_lies_in_a_folder_has_no_version_to_compare(install: Install):
    install("django-doc-priority", "9.0", "vendored>=99; extra == 'celery'")
    require("celery", "django")


def test_an_app_that_lies_in_a_folder_knows_no_bounds(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.path", [str(ROOT)])
    assert list(lower_bounds("celery")) == []
    require("celery", "doc_priority")


@pytest.mark.parametrize("extra", PARTS)
def test_the_bounds_are_those_of_the_package(extra: str):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    written = project["optional-dependencies"][extra]
    found = {requirement for requirement, name, lowest in lower_bounds(extra)}
    assert found == set(written), "reinstall the package: pip install --editable ."
