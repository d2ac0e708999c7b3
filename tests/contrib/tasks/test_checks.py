"""The system checks of a backend that gives priorities, a case for each id."""

from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.checks import WARNING, CheckMessage, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test.utils import override_settings
from django_tasks_db.backend import DatabaseBackend
from django_tasks_db.compat import task_backends

from doc_priority.contrib.tasks import PrioritizingBackend, PriorityDatabaseBackend
from doc_priority.contrib.tasks.checks import check_backend

pytestmark = pytest.mark.sqlite

NAMES = {"customer": "customer_key"}
COUNT = {"prioritize": {"tests.contrib.tasks.portal.count": NAMES}}
Immediate: Any = type(task_backends["immediate"])


def messages(options: Any, backend: Any = PriorityDatabaseBackend) -> list[CheckMessage]:
    made = backend("default", {"QUEUES": ["default", "documents"], "OPTIONS": options})
    return list(check_backend(made))


def test_e030_the_list_is_misshapen() -> None:
    for options, said in [
        ({}, "has no 'prioritize'"),
        ({"prioritise": {}}, "(but 'prioritise')"),
        ({"prioritize": {}}, "not a dict with a task in it"),
        ({"prioritize": ["portal.tasks.process"]}, "['portal.tasks.process']"),
        ({"prioritize": {7: NAMES}}, "not named by its dotted path"),
        ({"prioritize": {"a.b": "customer_key"}}, "is 'customer_key', not a dict"),
        ({"prioritize": {"a.b": {}}}, "does not say which argument"),
        ({"prioritize": {"a.b": {**NAMES, "documnet": "x"}}}, "did you mean 'document'?"),
        ({"prioritize": {"a.b": {"customer": 5}}}, "['customer'] is 5"),
        ({"prioritize": {"a.b": {**NAMES, "document": ""}}}, "['document'] is ''"),
        ({"prioritize": {"a.b": {"customer": "call."}}}, "['customer'] is 'call.', which tells"),
        ({"prioritize": {"a.b": {**NAMES, "missing": "a/b"}}}, "['missing'] is 'a/b', which is"),
        ({"prioritize": {"a.b": {**NAMES, "misssing": "a"}}}, "did you mean 'missing'?"),
    ]:
        (message,) = messages(options)
        assert message.id == "doc_priority.E030"
        assert said in message.msg
        assert "portal.tasks.process" in message.hint


def test_what_is_said_of_a_listed_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    portal = "tests.contrib.tasks.portal"
    head = f"from {portal} import process, task\n"
    checked = """
from datetime import UTC, datetime

renamed = process

@task(priority=5)
def hurried(customer_key): ...

@task(backend="immediate")
def elsewhere(customer_key): ...

@task(backend="plain")
def unprioritized(customer_key): ...

@task
def later(customer_key): ...

later = later.using(run_after=datetime(2030, 1, 1, tzinfo=UTC))

@task
def anything(**given): ...

@task(takes_context=True)
def anything_with_context(context, **given): ...

@task
def of_upload(upload: dict[str, object]): ...

@task
def nothing(): ...

def no_task(customer_key): ...
"""
    for name, text in {
        "portal_checked": checked,
        "portal_raising": "raise RuntimeError('no ink')",
        "portal_queue": "@task(queue_name='letters')\ndef post(): ...\n",
        "portal_backend": "@task(backend='letters')\ndef post(): ...\n",
    }.items():
        Path(tmp_path, f"{name}.py").write_text(head + text)
    monkeypatch.syspath_prepend(tmp_path)
    other_context, of_context = {"customer": "context"}, {"document": "context"}
    unlike = {"document": "documnet_id"}
    upload: dict[str, Any] = {"customer": "upload", "document": "upload.file"}
    misspelt = {"customer": "upload.owner", "document": "uplaod.file", "missing": "acme"}
    no_order = "'immediate' (ImmediateBackend, which keeps no order)"
    plain = "'plain' (DatabaseBackend)"
    no_key = "['customer'] is 'upload', and no call has one there: upload: dict"
    is_context = "is 'context', the context, which the worker gives and callers cannot"
    for name, terms, number, said, remedy in [
        # Not a task
        ("portal.missing.process", {}, "E031", "ModuleNotFoundError", "module 'portal'"),
        ("process", {}, "E031", "ImportError: process", "dotted path"),
        ("portal_checked.missing", {}, "E031", "does not define", "dotted path"),
        ("portal_checked.no_task", {}, "E031", "this is no task but <function", "dotted path"),
        ("portal_raising.post", {}, "E031", "RuntimeError: no ink", "portal_raising'"),
        ("portal_queue.post", {}, "E031", "letters", "TASKS['default']['QUEUES']"),
        ("portal_backend.post", {}, "E031", "InvalidTaskBackend", "portal_backend'"),
        # Of another backend
        ("portal_checked.elsewhere", {}, "E032", no_order, "@task(backend='default')"),
        ("portal_checked.unprioritized", {}, "E032", plain, "@task(backend='default')"),
        # Without these arguments
        (f"{portal}.process", unlike, "E033", "is 'documnet_id'", "you mean 'document_id'?"),
        ("portal_checked.nothing", {}, "E033", "['customer']", "The arguments are none."),
        ("portal_checked.of_upload", misspelt, "E033", "['document']", "Did you mean 'upload'?"),
        (f"{portal}.process_with_context", other_context, "E033", is_context, "customer_key"),
        (f"{portal}.process_with_context", of_context, "E033", is_context, "document_id"),
        ("portal_checked.anything_with_context", other_context, "E033", is_context, "given"),
        # With a key that can be none
        ("portal_checked.of_upload", upload, "W031", no_key, "'overrides.owner_id'"),
        # Declared otherwise
        ("portal_checked.hurried", {}, "E035", "priority=5", "@task"),
        ("portal_checked.renamed", {}, "E038", "", f"List it as '{portal}.process'."),
        ("portal_checked.later", {}, "W030", "2030-01-01", "using(run_after="),
    ]:
        (message,) = messages({"prioritize": {name: {**NAMES, **terms}}})
        assert message.id == f"doc_priority.{number}", name
        assert (message.level == WARNING) == number.startswith("W")
        assert f"TASKS['default']['OPTIONS']['prioritize'][{name!r}]" in message.msg
        assert said in message.msg
        assert remedy in message.hint
        assert said != is_context or "context" not in message.hint
    within = {"customer": "upload.owner", "document": lambda call: call["upload"]["file"]}
    assert messages({"prioritize": {"portal_checked.of_upload": within}}) == []
    assert messages({"prioritize": {"portal_checked.anything": NAMES}}) == []


def test_e034_a_backend_that_gives_none() -> None:
    class PrioritizingImmediateBackend(PrioritizingBackend, Immediate):
        """Tasks run at once."""

    (over,) = messages(COUNT, PrioritizingImmediateBackend)
    (itself,) = check_backend(Immediate("default", {"OPTIONS": COUNT}))
    (not_ours,) = check_backend(DatabaseBackend("default", {"OPTIONS": {"prioritize": {}}}))
    for message in (over, itself, not_ours):
        assert message.id == "doc_priority.E034"
        assert "PriorityDatabaseBackend" in message.hint
    assert "ImmediateBackend keeps none" in over.msg
    assert "ImmediateBackend keeps none" in itself.msg
    assert "DatabaseBackend keeps priorities but gives none" in not_ours.msg
    assert list(check_backend(Immediate("default", {}))) == []


def test_e036_two_databases_and_e037_no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks stop a command and have the tag; the settings of the tests pass."""

    class CountersElsewhere:
        """Sends the app's rows to a database of their own."""

        def db_for_write(self, model: Any, **hints: Any) -> str | None:
            return "counters" if model._meta.app_label == "doc_priority" else None

    def uninstall(patch: pytest.MonkeyPatch, name: str) -> None:
        # By hand, since Procrastinate's app cannot be set up twice.
        left = {label: app for label, app in apps.app_configs.items() if app.name != name}
        patch.setattr(apps, "app_configs", left)

    assert run_checks(tags=["doc_priority"]) == []
    assert call_command("check") is None
    with override_settings(DATABASE_ROUTERS=[CountersElsewhere()]):
        (message,) = messages(COUNT)
        assert message.id == "doc_priority.E036"
        assert "'default' and counters to 'counters'" in message.msg
        assert "DATABASE_ROUTERS" in message.hint
    with monkeypatch.context() as patch:
        uninstall(patch, "django_tasks_db")
        (message,) = messages(COUNT)
        assert message.id == "doc_priority.E037"
        assert "INSTALLED_APPS" in message.hint
        (of_the_library,) = PriorityDatabaseBackend("default", {"OPTIONS": COUNT}).check()
        assert "database app not installed" in of_the_library.msg
    monkeypatch.setattr(task_backends["default"], "options", {})
    (message,) = run_checks(tags=["doc_priority"])
    assert message.id == "doc_priority.E030"
    assert [one.id for one in run_checks()].count("doc_priority.E030") == 1
    with pytest.raises(SystemCheckError, match=r"doc_priority\.E030"):
        call_command("check")
    uninstall(monkeypatch, "doc_priority.contrib.tasks")  # then the backend says it
    (message,) = task_backends["default"].check()
    assert message.id == "doc_priority.E030"
