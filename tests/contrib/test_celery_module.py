"""What is said when the portal forgets to import its Celery module."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.checks import WARNING, run_checks
from django.test import override_settings

from doc_priority.contrib.celery_module import check_celery_module

MODULE = "from doc_priority.contrib.celery import prioritize\n"

Project = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Makes a package with a module `celery`, and names it."""
    name = f"portal_{uuid4().hex}"
    monkeypatch.syspath_prepend(tmp_path)

    def make(text: str = MODULE, *, file: str = "celery.py") -> str:
        folder = tmp_path / name / "config"
        folder.mkdir(parents=True)
        for package in (folder.parent, folder):
            (package / "__init__.py").touch()
        (folder.parent / file).write_text(text)
        return name

    yield make
    for module in [one for one in sys.modules if one.partition(".")[0] == name]:
        del sys.modules[module]


@pytest.mark.parametrize("urls", ["urls", "config.urls", "config.urls.main"])
def test_w028_a_module_that_nobody_imports(project: Project, urls: str) -> None:
    name = project()
    with override_settings(ROOT_URLCONF=f"{name}.{urls}"):
        (message,) = check_celery_module()
        assert run_checks(tags=["doc_priority"]) == [message]
    assert (message.id, message.level) == ("doc_priority.W028", WARNING)
    assert message.msg.startswith(f"{name}.celery names doc_priority.contrib.celery")
    assert f"the __init__.py of {name}." in str(message.hint)


def test_a_module_that_is_imported(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    name = project()
    monkeypatch.setitem(sys.modules, f"{name}.celery", sys)
    with override_settings(ROOT_URLCONF=f"{name}.urls"):
        assert check_celery_module() == []


@pytest.mark.parametrize("file", ["celery.py", "other.py"])
def test_a_project_without_the_adapter(project: Project, file: str) -> None:
    name = project("app = None\n" if file == "celery.py" else MODULE, file=file)
    with override_settings(ROOT_URLCONF=f"{name}.urls"):
        assert check_celery_module() == []


def test_a_project_without_urls() -> None:
    with override_settings(ROOT_URLCONF=None):
        assert check_celery_module() == []


def test_where_celery_is_not_installed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    name = project()
    monkeypatch.setitem(sys.modules, "celery", None)
    with override_settings(ROOT_URLCONF=f"{name}.urls"):
        assert check_celery_module() == []
