"""The system checks of prioritised tasks of Procrastinate, a case for each id."""

from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.core.checks import CheckMessage, run_checks
from django.core.exceptions import ImproperlyConfigured
from procrastinate import App, PsycopgConnector
from procrastinate.contrib.django import procrastinate_app
from procrastinate.contrib.django.django_connector import DjangoConnector

from doc_priority.contrib.procrastinate import prioritize, prioritize_postponed
from doc_priority.contrib.procrastinate.job_manager import managers
from doc_priority.exceptions import InvalidInput, TaskPrioritizedOtherwise
from tests.contrib.workers import running

pytestmark = pytest.mark.postgresql

OURS = "doc_priority.contrib.procrastinate"
THEIRS = "procrastinate.contrib.django"


def own_app(connector: Any = None) -> App:
    app = App(connector=connector or DjangoConnector())

    def of_upload(upload: dict[str, Any]) -> None: ...

    app.task(name="of_upload")(of_upload)
    app.task(name="process", aliases=["old"])(lambda customer_key, document_id: None)
    app.task(name="hurried", priority=5)(lambda customer_key: None)
    regular = app.task(name="regular")(lambda timestamp, customer_key="us": None)
    app.periodic(cron="0 0 1 1 *")(regular)
    app.task(name="anything")(lambda **given: None)
    app.task(name="portal.tasks.other")(lambda customer_key: None)
    with_context = app.task(name="with_context", pass_context=True)
    with_context(lambda context, customer_key, document_id="": None)
    app.task(name="anything_with_context", pass_context=True)(lambda context, **given: None)
    return app


def messages(app: App) -> list[CheckMessage]:
    """The messages about this app, which is then removed."""
    found = list(run_checks(tags=["doc_priority"]))
    managers.discard(app.job_manager)
    return found


def test_what_is_said_of_a_task() -> None:
    unlike, upload = {"document": "documnet"}, {"customer": "upload", "document": "upload.file"}
    no_key = "has customer='upload', and no call has one there: upload: dict"
    for name, terms, number, said, remedy in [
        ("proces", {}, "E040", "is not known to the app", "Did you mean 'process'?"),
        ("portal.tasks.proces", {}, "E040", "is not known to the app", "Did you mean 'process'?"),
        ("other", {}, "E040", "is not known to the app", "Did you mean 'portal.tasks.other'?"),
        ("old", {}, "E040", "is another name of 'process'", "Did you mean 'process'?"),
        ("process", unlike, "E041", "document='documnet'", "customer_key, document_id"),
        ("with_context", {"customer": "context"}, "E041", "names the context, which the", "key"),
        ("with_context", {"document": "context"}, "E041", "worker gives and callers cannot", "key"),
        ("anything_with_context", {"customer": "context"}, "E041", "names the context", ""),
        ("hurried", {}, "E042", "priority=5", ""),
        ("regular", {}, "W041", "charged to nobody", ""),
        ("of_upload", upload, "W042", no_key, "'overrides.owner_id'"),
    ]:
        app = own_app()
        prioritize(app, name, **{"customer": "customer_key", **terms})
        (message,) = messages(app)
        assert message.id == f"doc_priority.{number}", name
        assert said in message.msg
        assert message.hint
        assert remedy in message.hint
        assert "context" not in terms.values() or "context" not in message.hint
    # What is right passes.
    app = own_app()
    prioritize(app, "process", customer="customer_key", document="document_id")
    prioritize(app, "anything", customer="customer_key")
    prioritize(app, "of_upload", customer=lambda call: call["upload"]["owner"], missing="us")
    assert messages(app) == []
    # Another connection
    elsewhere = "'jobs' and counters to the database 'default'"
    for connector, said, remedy in [
        (PsycopgConnector(), "PsycopgConnector", ""),
        (DjangoConnector(alias="jobs"), elsewhere, "PROCRASTINATE_DATABASE_ALIAS = 'default'"),
    ]:
        app = own_app(connector)
        prioritize(app, "process", customer="customer_key")
        (message,) = messages(app)
        assert message.id == "doc_priority.W040"
        assert said in message.msg
        assert remedy in message.hint


def test_a_task_and_its_arguments_are_named() -> None:
    app = own_app()
    with pytest.raises(InvalidInput, match=r"task\.name"):
        prioritize(app, app.tasks["process"], customer="customer_key")
    for names in ({"customer": ""}, {"customer": "key", "document": None}):
        with pytest.raises(InvalidInput, match="name of the task's argument"):
            prioritize(app, "process", **names)
    for _ in range(2):
        prioritize(app, "process", customer="customer_key", document="document_id")
    with pytest.raises(TaskPrioritizedOtherwise, match="document='document_id' already"):
        prioritize(app, "process", customer="customer_key")
    assert app.job_manager.prioritized["process"].document == "document_id"
    assert messages(app) == []


def install_only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Install only these of the two apps; by hand, as Procrastinate's cannot be set up twice."""
    given = {app.name: app for app in apps.get_app_configs()}
    left = [app for name, app in given.items() if name not in (OURS, THEIRS)]
    installed = [*left, *(given[name] for name in names)]
    monkeypatch.setattr(apps, "app_configs", {app.label: app for app in installed})


def test_before_procrastinates_app_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is the state while that app imports the portal's tasks."""
    monkeypatch.setattr(procrastinate_app, "current_app", procrastinate_app.FutureApp())
    not_ready = procrastinate_app.current_app
    prioritize_process = partial(
        prioritize, procrastinate_app.app, "process", customer="customer_key"
    )
    prioritize_process()
    app = own_app()
    monkeypatch.setattr(procrastinate_app, "current_app", app)
    prioritize_postponed()
    assert "process" in app.job_manager.prioritized
    managers.discard(app.job_manager)
    # Without our app it is too early.
    monkeypatch.setattr(procrastinate_app, "current_app", not_ready)
    with monkeypatch.context() as patch:
        install_only(patch, THEIRS)
        with pytest.raises(ImproperlyConfigured, match="PROCRASTINATE_ON_APP_READY"):
            prioritize_process()
    # Our app before Procrastinate's is refused, and a check says so.
    with monkeypatch.context() as patch:
        install_only(patch, OURS, THEIRS)
        (message,) = run_checks(tags=["doc_priority"])
        assert message.id == "doc_priority.E044"
        assert f"{OURS!r} before {THEIRS!r}" in message.msg
        assert "Put it after" in message.hint
    install_only(monkeypatch, OURS, THEIRS)
    with pytest.raises(ImproperlyConfigured, match=r"Put it after.*doc_priority\.E044"):
        prioritize_process()


@pytest.mark.parametrize("installed", [[], [OURS]])
def test_e043_nobody_makes_the_app(monkeypatch: pytest.MonkeyPatch, installed: list[str]) -> None:
    monkeypatch.setattr(procrastinate_app, "current_app", procrastinate_app.FutureApp())
    install_only(monkeypatch, *installed)
    prioritize(procrastinate_app.app, "process", customer="customer_key")
    prioritize_postponed()
    found = run_checks(tags=["doc_priority"])
    assert {message.id for message in found} == {"doc_priority.E043"}
    (message,) = [one for one in found if "'process' given to" in one.msg]
    assert f"Add {THEIRS!r} to INSTALLED_APPS" in message.hint
    with pytest.raises(TaskPrioritizedOtherwise):
        prioritize(procrastinate_app.app, "process", customer="client")
    app = own_app()  # nor has one of the portal's own its tables
    prioritize(app, "process", customer="customer_key")
    assert {message.id for message in messages(app)} == {"doc_priority.E043"}


def test_a_portal_is_set_up(db: None) -> None:
    """A process whose tasks Procrastinate finds as its app gets ready."""
    without_theirs = f"[one for one in settings.INSTALLED_APPS if one != {THEIRS!r}]"
    for installed, said in [
        ("settings.INSTALLED_APPS", ""),
        ("reversed(settings.INSTALLED_APPS)", "doc_priority.E044"),
        (without_theirs, "doc_priority.E043"),
    ]:
        program = (
            "from tests import settings\n"
            f"settings.INSTALLED_APPS = [*{installed}, 'tests.contrib']\n"
            "settings.PROCRASTINATE_AUTODISCOVER_MODULE_NAME = 'procrastinate.portal'\n"
            "import django; django.setup()\n"
            "import tests.contrib.procrastinate.portal\n"
            "from django.core.management import call_command; call_command('check')\n"
        )
        with running("-c", program) as portal:
            output, _ = portal.communicate(timeout=60)
        assert said in output
        assert bool(portal.returncode) == bool(said), output
