"""What the system checks say about prioritised tasks of Procrastinate; one test per id."""

import os
import subprocess
import sys
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.core.checks import CheckMessage, run_checks
from django.core.exceptions import ImproperlyConfigured
from procrastinate import App, PsycopgConnector
from procrastinate.contrib.django import procrastinate_app
from procrastinate.contrib.django.django_connector import DjangoConnector

from doc_priority.contrib.procrastinate import prioritize
from doc_priority.contrib.procrastinate.prioritizing import prioritize_those_waiting
from doc_priority.exceptions import InvalidInput, TaskPrioritizedOtherwise
from tests.settings import BASE_DIR

pytestmark = pytest.mark.postgresql


@pytest.fixture
def own_app() -> App:
    app = App(connector=DjangoConnector())

    @app.task(name="process", aliases=["old"])
    def process(customer_key: str, document_id: str) -> None:
        """A document."""

    @app.task(name="hurried", priority=5)
    def hurried(customer_key: str) -> None:
        """Has a priority of its own."""

    @app.periodic(cron="0 0 1 1 *")
    @app.task(name="regular")
    def regular(timestamp: int, customer_key: str = "us") -> None:
        """Defers itself."""

    @app.task(name="anything")
    def anything(**given: Any) -> None:
        """Takes every argument."""

    @app.task(name="portal.tasks.other")
    def other(customer_key: str) -> None:
        """Looks like the rest of the path."""

    @app.task(name="with_context", pass_context=True)
    def with_context(context: Any, customer_key: str, document_id: str = "") -> None:
        """Is told who does it."""

    @app.task(name="anything_with_context", pass_context=True)
    def anything_with_context(context: Any, **given: Any) -> None:
        """Takes every argument besides its own."""

    return app


def only_message(app: App, name: str, **names: str) -> CheckMessage:
    prioritize(app, name, **{"customer": "customer_key", **names})
    (message,) = run_checks(tags=["doc_priority"])
    assert message.hint
    return message


def test_what_is_right_passes(own_app: App) -> None:
    prioritize(own_app, "process", customer="customer_key", document="document_id")
    prioritize(own_app, "anything", customer="customer_key")
    assert run_checks(tags=["doc_priority"]) == []


@pytest.mark.parametrize(
    ("name", "said", "meant"),
    [
        ("proces", "is not known to the app", "Did you mean 'process'?"),
        ("portal.tasks.proces", "is not known to the app", "Did you mean 'process'?"),
        ("other", "is not known to the app", "Did you mean 'portal.tasks.other'?"),
        ("old", "is another name of 'process'", "Did you mean 'process'?"),
    ],
)
def test_e040_an_unknown_task(own_app: App, name: str, said: str, meant: str) -> None:
    message = only_message(own_app, name)
    assert message.id == "doc_priority.E040"
    assert said in message.msg
    assert meant in message.hint


def test_e041_an_argument_the_task_does_not_have(own_app: App) -> None:
    message = only_message(own_app, "process", document="documnet")
    assert message.id == "doc_priority.E041"
    assert "document='documnet'" in message.msg
    assert "customer_key, document_id" in message.hint


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("with_context", {"customer": "context"}),
        ("with_context", {"document": "context"}),
        ("anything_with_context", {"customer": "context"}),
    ],
)
def test_e041_the_context_is_no_argument_of_callers(
    own_app: App, name: str, names: dict[str, str]
) -> None:
    message = only_message(own_app, name, **names)
    assert message.id == "doc_priority.E041"
    assert "names the context, which the worker gives and callers cannot" in message.msg
    assert "context" not in message.hint


def test_e042_a_priority_of_its_own(own_app: App) -> None:
    message = only_message(own_app, "hurried")
    assert message.id == "doc_priority.E042"
    assert "priority=5" in message.msg


def test_e043_procrastinates_app_is_not_installed(
    own_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = {label: app for label, app in apps.app_configs.items() if label != "procrastinate"}
    monkeypatch.setattr(apps, "app_configs", left)
    prioritize(own_app, "process", customer="customer_key")
    messages = run_checks(tags=["doc_priority"])
    assert {message.id for message in messages} == {"doc_priority.E043"}
    assert "INSTALLED_APPS" in messages[0].hint


def test_w040_a_connection_of_its_own() -> None:
    app = App(connector=PsycopgConnector())
    app.task(name="process")(lambda customer_key: None)
    message = only_message(app, "process")
    assert message.id == "doc_priority.W040"
    assert "PsycopgConnector" in message.msg


def test_w040_another_database() -> None:
    app = App(connector=DjangoConnector(alias="jobs"))
    app.task(name="process")(lambda customer_key: None)
    message = only_message(app, "process")
    assert message.id == "doc_priority.W040"
    assert "'jobs' and counters to the database 'default'" in message.msg
    assert "PROCRASTINATE_DATABASE_ALIAS = 'default'" in message.hint


def test_w041_a_periodic_task(own_app: App) -> None:
    message = only_message(own_app, "regular")
    assert message.id == "doc_priority.W041"
    assert "charged to nobody" in message.msg


@pytest.fixture
def not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is while Procrastinate's app imports the portal's tasks."""
    monkeypatch.setattr(procrastinate_app, "current_app", procrastinate_app.FutureApp())


OURS = "doc_priority.contrib.procrastinate"
THEIRS = "procrastinate.contrib.django"


def install_only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Of these two, by hand, since Procrastinate's app cannot be set up twice."""
    given = {app.name: app for app in apps.get_app_configs()}
    left = [app for name, app in given.items() if name not in (OURS, THEIRS)]
    installed = [*left, *(given[name] for name in names)]
    monkeypatch.setattr(apps, "app_configs", {app.label: app for app in installed})


def test_too_early_without_our_app(not_ready: None, monkeypatch: pytest.MonkeyPatch) -> None:
    install_only(monkeypatch, THEIRS)
    with pytest.raises(ImproperlyConfigured, match="PROCRASTINATE_ON_APP_READY"):
        prioritize(procrastinate_app.app, "process", customer="customer_key")


@pytest.mark.parametrize("installed", [[], [OURS]])
def test_e043_nobody_makes_the_app(
    not_ready: None, monkeypatch: pytest.MonkeyPatch, installed: list[str]
) -> None:
    install_only(monkeypatch, *installed)
    prioritize(procrastinate_app.app, "process", customer="customer_key")
    prioritize_those_waiting()
    messages = run_checks(tags=["doc_priority"])
    assert {message.id for message in messages} == {"doc_priority.E043"}
    (message,) = [one for one in messages if "'process' given to" in one.msg]
    assert f"Add {THEIRS!r} to INSTALLED_APPS" in message.hint
    with pytest.raises(TaskPrioritizedOtherwise):
        prioritize(procrastinate_app.app, "process", customer="client")


def test_e044_our_app_before_procrastinates(monkeypatch: pytest.MonkeyPatch) -> None:
    install_only(monkeypatch, OURS, THEIRS)
    (message,) = run_checks(tags=["doc_priority"])
    assert message.id == "doc_priority.E044"
    assert f"{OURS!r} before {THEIRS!r}" in message.msg
    assert "Put it after" in message.hint


@pytest.mark.parametrize("too_late", [prioritize_those_waiting, None])
def test_our_app_before_procrastinates_is_refused(
    not_ready: None, monkeypatch: pytest.MonkeyPatch, too_late: Any
) -> None:
    if too_late:
        prioritize(procrastinate_app.app, "process", customer="customer_key")
    install_only(monkeypatch, OURS, THEIRS)
    with pytest.raises(ImproperlyConfigured, match=r"Put it after.*doc_priority\.E044"):
        (too_late or partial(prioritize, procrastinate_app.app, "a", customer="b"))()


def test_what_waits_gets_its_priorities(
    own_app: App, not_ready: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    prioritize(procrastinate_app.app, "process", customer="customer_key")
    monkeypatch.setattr(procrastinate_app, "current_app", own_app)
    prioritize_those_waiting()
    assert "process" in own_app.job_manager.prioritized


def set_up(installed: str) -> "subprocess.CompletedProcess[str]":
    """A portal of its own, whose tasks Procrastinate finds as its app gets ready."""
    program = (
        "from tests import settings\n"
        f"settings.INSTALLED_APPS = [*{installed}, 'tests.contrib']\n"
        "settings.PROCRASTINATE_AUTODISCOVER_MODULE_NAME = 'procrastinate.portal'\n"
        "import django; django.setup()\n"
        "import tests.contrib.procrastinate.portal\n"
        "from django.core.management import call_command; call_command('check')\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
    )


@pytest.mark.parametrize(
    ("installed", "said"),
    [
        ("settings.INSTALLED_APPS", ""),
        ("reversed(settings.INSTALLED_APPS)", "doc_priority.E044"),
        (f"[one for one in settings.INSTALLED_APPS if one != {THEIRS!r}]", "doc_priority.E043"),
    ],
)
def test_a_portal_is_set_up(installed: str, said: str) -> None:
    answer = set_up(installed)
    assert said in answer.stderr
    assert bool(answer.returncode) == bool(said), answer.stderr


def test_a_task_is_named_not_given(own_app: App) -> None:
    with pytest.raises(InvalidInput, match=r"task\.name"):
        prioritize(own_app, own_app.tasks["process"], customer="customer_key")
    assert run_checks(tags=["doc_priority"]) == []


@pytest.mark.parametrize("names", [{"customer": ""}, {"customer": "key", "document": None}])
def test_arguments_are_named(own_app: App, names: Any) -> None:
    with pytest.raises(InvalidInput, match="name of the task's argument"):
        prioritize(own_app, "process", **names)


def test_a_task_is_prioritised_in_one_way(own_app: App) -> None:
    for _ in range(2):
        prioritize(own_app, "process", customer="customer_key", document="document_id")
    with pytest.raises(TaskPrioritizedOtherwise, match="document='document_id' already"):
        prioritize(own_app, "process", customer="customer_key")
    assert own_app.job_manager.prioritized["process"].document == "document_id"


@pytest.fixture
def upload_app(own_app: App) -> App:
    @own_app.task(name="of_upload")
    def of_upload(upload: dict[str, Any]) -> None:
        """Has its customer within an argument."""

    return own_app


def test_w042_an_argument_that_can_be_no_key(upload_app: App) -> None:
    prioritize(upload_app, "of_upload", customer="upload", document="upload.file")
    (message,) = run_checks(tags=["doc_priority"])
    assert message.id == "doc_priority.W042"
    assert "has customer='upload', and no call has one there: upload: dict" in message.msg
    assert "'overrides.owner_id'" in message.hint


def test_a_customer_within_an_argument_raises_no_doubt(upload_app: App) -> None:
    prioritize(upload_app, "of_upload", customer=lambda call: call["upload"]["owner"], missing="us")
    assert run_checks(tags=["doc_priority"]) == []
