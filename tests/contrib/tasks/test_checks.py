"""What the system checks say about a backend that gives priorities; one test per id."""

from typing import Any

import pytest
from django.apps import apps
from django.core.checks import WARNING, CheckMessage, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test.utils import override_settings
from django_tasks_db.backend import DatabaseBackend

from doc_priority.contrib.tasks import PriorityDatabaseBackend
from doc_priority.contrib.tasks.checks import check_any, check_backend
from doc_priority.contrib.tasks.framework import task_backends
from tests.contrib.tasks.collecting import Immediate, PrioritizingImmediateBackend

MODULE = "tests.contrib.tasks.unusual"
NAMES = {"customer": "customer_key"}


def messages(options: Any, backend: Any = PriorityDatabaseBackend) -> list[CheckMessage]:
    made = backend("default", {"QUEUES": ["default", "documents"], "OPTIONS": options})
    return list(check_backend(made))


def only_message(name: str, **names: Any) -> CheckMessage:
    """What is said of one listed task."""
    (message,) = messages({"prioritize": {name: {**NAMES, **names}}})
    assert f"TASKS['default']['OPTIONS']['prioritize'][{name!r}]" in message.msg
    assert message.hint
    return message


def test_the_settings_of_the_tests_pass() -> None:
    assert run_checks(tags=["doc_priority"]) == []
    assert call_command("check") is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
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
    ],
)
def test_e030_the_list_is_misshapen(options: Any, said: str) -> None:
    (message,) = messages(options)
    assert message.id == "doc_priority.E030"
    assert said in message.msg
    assert "portal.tasks.process" in message.hint


@pytest.mark.parametrize(
    ("name", "said", "remedy"),
    [
        ("tests.contrib.tasks.missing.process", "ModuleNotFoundError", "'tests.contrib.tasks.miss"),
        ("process", "ImportError: process", "dotted path"),
        (f"{MODULE}.missing", "does not define", "dotted path"),
        ("tests.contrib.tasks.unknown_queue.post", "letters", "TASKS['default']['QUEUES']"),
        ("tests.contrib.tasks.unknown_backend.post", "InvalidTaskBackend", "unknown_backend'"),
        ("tests.contrib.tasks.raising.process", "RuntimeError: no ink", "raising'"),
        (f"{MODULE}.no_task", "this is no task but <function", "dotted path"),
    ],
)
def test_e031_not_a_task(name: str, said: str, remedy: str) -> None:
    message = only_message(name)
    assert message.id == "doc_priority.E031"
    assert said in message.msg
    assert remedy in message.hint
    assert "@task" in message.hint


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("elsewhere", "'immediate' (ImmediateBackend, which keeps no order)"),
        ("unprioritized", "'plain' (DatabaseBackend)"),
    ],
)
def test_e032_a_task_of_another_backend(name: str, said: str) -> None:
    message = only_message(f"{MODULE}.{name}")
    assert message.id == "doc_priority.E032"
    assert said in message.msg
    assert "@task(backend='default')" in message.hint


def test_e033_an_argument_the_task_does_not_have() -> None:
    message = only_message("tests.contrib.tasks.portal.process", document="documnet_id")
    assert message.id == "doc_priority.E033"
    assert "['document'] is 'documnet_id'" in message.msg
    assert "Did you mean 'document_id'?" in message.hint
    assert only_message(f"{MODULE}.nothing").hint == "The arguments are none."


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("tests.contrib.tasks.portal.process_with_context", {"customer": "context"}),
        ("tests.contrib.tasks.portal.process_with_context", {"document": "context"}),
        (f"{MODULE}.anything_with_context", {"customer": "context"}),
    ],
)
def test_e033_the_context_is_no_argument_of_callers(name: str, names: dict[str, str]) -> None:
    message = only_message(name, **names)
    assert message.id == "doc_priority.E033"
    assert "is 'context', the context, which the worker gives and callers cannot" in message.msg
    assert "context" not in message.hint


def test_w031_an_argument_that_can_be_no_key() -> None:
    message = only_message(f"{MODULE}.of_upload", customer="upload", document="upload.file")
    assert (message.id, message.level) == ("doc_priority.W031", WARNING)
    assert "['customer'] is 'upload', and no call has one there: upload: dict" in message.msg
    assert "'overrides.owner_id'" in message.hint
    listed = {"customer": "upload.owner", "document": "uplaod.file", "missing": "acme"}
    assert "Did you mean 'upload'?" in only_message(f"{MODULE}.of_upload", **listed).hint
    within = {"customer": "upload.owner", "document": lambda call: call["upload"]["file"]}
    assert messages({"prioritize": {f"{MODULE}.of_upload": within}}) == []


def test_a_task_that_takes_every_argument_passes() -> None:
    assert messages({"prioritize": {f"{MODULE}.anything": NAMES}}) == []


def test_e034_a_backend_without_priorities() -> None:
    listed = {"prioritize": {"tests.contrib.tasks.portal.count": NAMES}}
    (over,) = messages(listed, PrioritizingImmediateBackend)
    (itself,) = check_any(Immediate("default", {"OPTIONS": listed}))
    for message in (over, itself):
        assert message.id == "doc_priority.E034"
        assert "ImmediateBackend keeps none" in message.msg
        assert "PriorityDatabaseBackend" in message.hint
    assert list(check_any(Immediate("default", {}))) == []


def test_e034_a_backend_that_is_not_ours() -> None:
    (message,) = check_any(DatabaseBackend("default", {"OPTIONS": {"prioritize": {}}}))
    assert message.id == "doc_priority.E034"
    assert "DatabaseBackend keeps priorities but gives none" in message.msg
    assert "PriorityDatabaseBackend" in message.hint


def test_e035_a_priority_of_its_own() -> None:
    message = only_message(f"{MODULE}.hurried")
    assert message.id == "doc_priority.E035"
    assert "priority=5" in message.msg
    assert "@task" in message.hint


class CountersElsewhere:
    """Sends the app's rows to a database of their own."""

    def db_for_write(self, model: Any, **hints: Any) -> str | None:
        return "counters" if model._meta.app_label == "doc_priority" else None


@override_settings(DATABASE_ROUTERS=[CountersElsewhere()])
def test_e036_two_databases() -> None:
    (message,) = messages({"prioritize": {"tests.contrib.tasks.portal.count": NAMES}})
    assert message.id == "doc_priority.E036"
    assert "'default' and counters to 'counters'" in message.msg
    assert "DATABASE_ROUTERS" in message.hint


def uninstall(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """By hand, since Procrastinate's app cannot be set up twice."""
    left = {label: app for label, app in apps.app_configs.items() if app.name != name}
    monkeypatch.setattr(apps, "app_configs", left)


def test_e037_the_tables_app_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    uninstall(monkeypatch, "django_tasks_db")
    options = {"prioritize": {"tests.contrib.tasks.portal.count": NAMES}}
    (message,) = messages(options)
    assert message.id == "doc_priority.E037"
    assert "INSTALLED_APPS" in message.hint
    (of_the_library,) = PriorityDatabaseBackend("default", {"OPTIONS": options}).check()
    assert "database app not installed" in of_the_library.msg


def test_e038_a_path_that_is_not_the_tasks_own() -> None:
    message = only_message(f"{MODULE}.renamed")
    assert message.id == "doc_priority.E038"
    assert "List it as 'tests.contrib.tasks.portal.process'." in message.hint


def test_w030_a_task_that_is_always_deferred() -> None:
    message = only_message(f"{MODULE}.later")
    assert message.id == "doc_priority.W030"
    assert "2030-01-01" in message.msg
    assert "using(run_after=" in message.hint


@pytest.fixture
def nothing_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_backends["default"], "options", {})


def test_with_the_app_they_carry_the_tag(nothing_listed: None) -> None:
    (message,) = run_checks(tags=["doc_priority"])
    assert message.id == "doc_priority.E030"
    assert [one.id for one in run_checks()].count("doc_priority.E030") == 1


def test_without_the_app_the_backend_says_it(
    nothing_listed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    uninstall(monkeypatch, "doc_priority.contrib.tasks")
    (message,) = task_backends["default"].check()
    assert message.id == "doc_priority.E030"


def test_a_check_stops_a_command(nothing_listed: None) -> None:
    with pytest.raises(SystemCheckError, match=r"doc_priority\.E030"):
        call_command("check")
