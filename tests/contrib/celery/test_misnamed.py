"""What is said of a prioritised task that the app does not have, and when it is not."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import celery._state
import pytest
from django.test import modify_settings

from doc_priority.contrib.celery import prioritize
from doc_priority.contrib.celery.checks import check_configuration
from tests.contrib.celery.checked import RABBITMQ, REDIS, MakeApp, nothing, only, process


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A Django app with an empty module `tasks`, which the test may write into."""
    name = f"portal_{uuid4().hex}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "tasks.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    for module in [one for one in sys.modules if one.partition(".")[0] == name]:
        del sys.modules[module]


@pytest.mark.parametrize("registered", ["process", "portal.tasks.process"])
def test_e018_a_task_that_has_another_name(
    make_app: MakeApp, package: str, registered: str
) -> None:
    app = make_app(REDIS, prioritized=False)
    registered = registered.replace("portal", package)
    app.task(name=registered, shared=False)(process)
    prioritize(app, f"{package}.tasks.proces", customer="customer")
    message = only(check_configuration(), "E018")
    assert f"the task '{package}.tasks.proces'" in message.msg
    if "." in registered:
        assert f"the nearest it has is {registered!r}" in message.msg
    assert "name=" in str(message.hint)


def test_e018_a_name_like_no_other(make_app: MakeApp, package: str) -> None:
    prioritize(make_app(REDIS), f"{package}.tasks.unlike", customer="customer")
    message = only(check_configuration(), "E018")
    assert "which the app does not have. Calls" in message.msg


def test_e018_a_module_that_is_not_there(make_app: MakeApp) -> None:
    app = make_app(REDIS, prioritized=False)
    prioritize(app, "portals.process", customer="customer")
    assert "the nearest it has is 'portal.process'" in only(check_configuration(), "E018").msg


def test_e018_says_it_instead_of_w024(make_app: MakeApp, package: str) -> None:
    app = make_app(REDIS)
    app.task(name=f"{package}.tasks.process", shared=False)(process)
    prioritize(app, f"{package}.tasks.proces", customer="customer")
    only(check_configuration(), "E018")
    app.task(name="mail", shared=False)(nothing)
    found = check_configuration()
    assert [one.id for one in found] == ["doc_priority.E018", "doc_priority.W024"]
    assert "also gets mail." in found[1].msg


@pytest.mark.parametrize(
    "way", ["imports", "include", pytest.param("INSTALLED_APPS", marks=pytest.mark.sqlite)]
)
def test_a_task_of_another_module_than_its_name_says(
    make_app: MakeApp, package: str, tmp_path: Path, way: str
) -> None:
    app = make_app(REDIS)
    prioritize(app, f"{package}.process", customer="customer")
    (tmp_path / package / "tasks.py").write_text(
        "from celery import shared_task\n"
        f"@shared_task(name='{package}.process')\n"
        "def process(customer): pass\n"
    )
    try:
        if way == "INSTALLED_APPS":
            with modify_settings(INSTALLED_APPS={"append": package}):
                assert check_configuration() == []
        else:
            app.conf[way] = [f"{package}.tasks"]
            assert check_configuration() == []
    finally:
        forget_shared(f"{package}.process")


@pytest.mark.parametrize("which", ["current", "default"])
def test_w017_a_shared_task_whose_calls_go_to_another_app(
    make_app: MakeApp, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    app = make_app(REDIS)
    other = make_app(RABBITMQ, prioritized=False, task_routes={"portal.process": "others"})
    name = f"{package}.tasks.process"
    (tmp_path / package / "tasks.py").write_text(
        "from celery import shared_task\n"
        f"@shared_task(name='{name}')\n"
        "def process(customer): pass\n"
    )
    prioritize(app, name, customer="customer")
    monkeypatch.setattr(celery._state._tls, "current_app", app)
    monkeypatch.setattr(celery._state, "default_app", app)
    try:
        assert check_configuration() == []
        if which == "current":
            other.set_current()
        else:
            other.set_default()
        message = only(check_configuration(), "W017")
        assert f"{name} is a shared task, and calls of it go to the app {other.main}" in message.msg
        assert "set_as_current=False" in str(message.hint)
        prioritize(other, name, customer="customer")
        assert check_configuration() == []
    finally:
        forget_shared(name)


def forget_shared(name: str) -> None:
    """Celery keeps them for every app that is made later."""
    callbacks = celery._state._on_app_finalizers
    for one in [one for one in callbacks if _names(one, name)]:
        callbacks.discard(one)


def _names(callback: Any, name: str) -> bool:
    return any(
        isinstance(cell.cell_contents, dict) and cell.cell_contents.get("name") == name
        for cell in callback.__closure__ or ()
    )


@pytest.mark.sqlite  # On PostgreSQL Procrastinate's app is installed, which cannot be twice.
def test_a_django_app_without_tasks(make_app: MakeApp, package: str, tmp_path: Path) -> None:
    prioritize(make_app(REDIS), f"{package}.process", customer="customer")
    (tmp_path / package / "tasks.py").unlink()
    with modify_settings(INSTALLED_APPS={"append": package}):
        only(check_configuration(), "E018")


def test_the_modules_of_tasks_are_imported(
    make_app: MakeApp, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"portal_{uuid4().hex}"
    (tmp_path / f"{name}.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    prioritize(make_app(REDIS), f"{name}.task", customer="customer")
    only(check_configuration(), "E018")
    assert isinstance(sys.modules.pop(name), ModuleType)
