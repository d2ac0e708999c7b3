"""What the system checks say about the tasks that `prioritize` names, and about their module."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import celery._state
import pytest
from django.core.checks import run_checks
from django.test import modify_settings, override_settings

from doc_priority.contrib.celery import prioritize
from doc_priority.contrib.celery_module import check_celery_module
from tests.contrib.celery.conftest import MakeApp, Told, closing, process_document

REDIS = "redis://127.0.0.1:6379/15"
RABBITMQ = "amqp://guest:guest@127.0.0.1:5672//"

Package = Callable[..., str]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """Makes a package with a module in it, and names it: `package(tasks="…")`."""
    name = f"portal_{uuid4().hex}"
    monkeypatch.syspath_prepend(tmp_path)

    def make(inner: str = "", **modules: str) -> str:
        folder = tmp_path / name / inner
        folder.mkdir(parents=True)
        for one in {folder, tmp_path / name}:
            (one / "__init__.py").touch()
        for module, text in modules.items():
            (tmp_path / name / f"{module}.py").write_text(text)
        return name

    yield make
    for module in [one for one in sys.modules if one.partition(".")[0] == name]:
        del sys.modules[module]


@pytest.fixture
def shared_task(package: Package) -> Iterator[Package]:
    """A package whose tasks are shared; Celery would keep them for every app that is made later."""
    before = set(celery._state._on_app_finalizers)

    def make(task: str) -> str:
        name = package(tasks="")
        Path(sys.path[0], name, "tasks.py").write_text(
            "from celery import shared_task\n"
            f"@shared_task(name='{name}.{task}')\n"
            "def process(customer): pass\n"
        )
        return name

    yield make
    for one in set(celery._state._on_app_finalizers) - before:
        celery._state._on_app_finalizers.discard(one)


def test_e018_a_task_that_has_another_name(make_app: MakeApp, told: Told, package: Package) -> None:
    name = package(tasks="")
    app = make_app(REDIS)
    prioritize(app, f"{name}.tasks.unlike", customer="customer")
    assert "which the app does not have. Calls" in told()["E018"]
    app.task(name=f"{name}.tasks.unlikely", shared=False)(process_document)
    found = told()
    assert list(found) == ["E018"]  # and no word of W024
    assert f"the task '{name}.tasks.unlike'" in found["E018"]
    assert f"the nearest it has is '{name}.tasks.unlikely'" in found["E018"]
    assert "name=" in found["E018"]
    app.task(name="mail", shared=False)(process_document)
    found = told()
    assert list(found) == ["E018", "W024"]
    assert "also gets mail." in found["W024"]


def test_e018_a_module_that_is_not_there(make_app: MakeApp, told: Told) -> None:
    app = make_app(REDIS)
    app.task(name="billing.process", shared=False)(process_document)
    app.tasks["billing.process"].queue = "billing"
    prioritize(app, "billings.process", customer="customer")
    assert "the nearest it has is 'billing.process'" in told()["E018"]


def test_the_modules_of_tasks_are_imported(make_app: MakeApp, told: Told, package: Package) -> None:
    name = package(tasks="")
    prioritize(make_app(REDIS), f"{name}.tasks.process", customer="customer")
    assert list(told()) == ["E018"]
    assert f"{name}.tasks" in sys.modules


@pytest.mark.parametrize("way", ["imports", "include", "INSTALLED_APPS"])
def test_a_task_of_another_module_than_its_name_says(
    make_app: MakeApp, told: Told, shared_task: Package, way: str
) -> None:
    name = shared_task("process")
    app = make_app(REDIS)
    prioritize(app, f"{name}.process", customer="customer")
    if way == "INSTALLED_APPS":
        with modify_settings(INSTALLED_APPS={"append": name}):
            assert told() == {}
    else:
        app.conf[way] = [f"{name}.tasks"]
        assert told() == {}


def test_a_django_app_without_tasks(make_app: MakeApp, told: Told, package: Package) -> None:
    name = package()
    prioritize(make_app(REDIS), f"{name}.process", customer="customer")
    with modify_settings(INSTALLED_APPS={"append": name}):
        assert list(told()) == ["E018"]


@pytest.mark.parametrize("which", ["current", "default"])
def test_w017_a_shared_task_whose_calls_go_to_another_app(
    make_app: MakeApp,
    told: Told,
    shared_task: Package,
    monkeypatch: pytest.MonkeyPatch,
    which: str,
) -> None:
    name = f"{shared_task('tasks.process')}.tasks.process"
    app = make_app(REDIS)
    other = make_app(RABBITMQ, prioritized=False, task_default_queue="others")
    prioritize(app, name, customer="customer")
    monkeypatch.setattr(celery._state._tls, "current_app", app)
    monkeypatch.setattr(celery._state, "default_app", app)
    assert told() == {}
    if which == "current":
        other.set_current()
    else:
        other.set_default()
    found = told()
    assert list(found) == ["W017"]
    assert f"{name} is a shared task, and calls of it go to the app app1" in found["W017"]
    assert "set_as_current=False" in found["W017"]
    prioritize(other, name, customer="customer")
    assert told() == {}


@dataclass
class Upload:
    owner: str


def test_arguments_that_calls_do_not_have(make_app: MakeApp, told: Told) -> None:
    def of_customer(customer: str) -> None: ...

    def of_upload(customer: Upload) -> None: ...

    def of_anything(**kwargs: Any) -> None: ...

    anything = {"customer": "customer", "document": "invoice"}
    doubted = "portal.other has customer='customer', and no call has one there: customer: "
    for function, terms, number, said in [
        (of_customer, anything, "E026", "'invoice', which portal.other does not have: (customer:"),
        (
            of_customer,
            {"customer": "customr.key", "document": lambda call: call["customer"]},
            "E026",
            "'customr', which portal.other does not have",
        ),
        (of_upload, {"customer": "customer"}, "W029", doubted),
        (of_upload, {"customer": "customer"}, "W029", "Upload is no text, number or UUID"),
        (of_upload, {"customer": "customer"}, "W029", "'overrides.owner_id'"),
        (of_upload, {"customer": "customer.owner"}, "", ""),
        (of_upload, {"customer": lambda call: call["customer"].owner}, "", ""),
        (of_anything, anything, "", ""),
    ]:
        with closing(make_app(REDIS)) as app:
            prioritize(app, "portal.other", **terms)
            app.task(name="portal.other", shared=False)(function)
            found = told()
        assert list(found) == ([number] if number else []), (function, terms)
        assert said in found.get(number, "")


def test_tasks_that_are_not_known_here(make_app: MakeApp, told: Told) -> None:
    app = make_app(REDIS)
    for name in ("elsewhere.task", "elsewhere.tasks.task", "unnamed"):
        prioritize(app, name, customer="customer")
    assert told() == {}


MODULE = "from doc_priority.contrib.celery import prioritize\n"


@pytest.mark.parametrize("urls", ["urls", "config.urls", "config.urls.main"])
def test_w028_a_module_that_nobody_imports(
    package: Package, monkeypatch: pytest.MonkeyPatch, told: Told, urls: str
) -> None:
    name = package("config", celery=MODULE)
    with override_settings(ROOT_URLCONF=f"{name}.{urls}"):
        found = told(check_celery_module)
        assert [one.id for one in run_checks(tags=["doc_priority"])] == ["doc_priority.W028"]
        assert found["W028"].startswith(f"{name}.celery names doc_priority.contrib.celery")
        assert f"the __init__.py of {name}." in found["W028"]
        monkeypatch.setitem(sys.modules, f"{name}.celery", sys)
        assert told(check_celery_module) == {}


def test_projects_without_the_adapter(
    package: Package, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    name = package(celery="app = None\n", other=MODULE)
    for urls in (None, f"{name}.urls", "portal.urls"):
        with override_settings(ROOT_URLCONF=urls):
            assert told(check_celery_module) == {}


def test_where_celery_is_not_installed(
    package: Package, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    name = package(celery=MODULE)
    monkeypatch.setitem(sys.modules, "celery", None)
    with override_settings(ROOT_URLCONF=f"{name}.urls"):
        assert told(check_celery_module) == {}
