"""Which engines tell since when their oldest document waits."""

import pytest
from django.apps import AppConfig, apps
from django.db import connection

from doc_priority.contrib import waiting


def registered(monkeypatch: pytest.MonkeyPatch, adapter: str) -> set[str]:
    """Those that the adapter's app makes known as it gets ready."""
    monkeypatch.setattr(waiting, "engines", {})
    AppConfig.create(adapter).ready()
    return set(waiting.engines)


def uninstall(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    # Taken out and put back, it would stand in another place.
    others = {label: one for label, one in apps.app_configs.items() if one.name != name}
    monkeypatch.setattr(apps, "app_configs", others)


def test_django_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registered(monkeypatch, "doc_priority.contrib.tasks") == {"django-tasks"}


def test_django_tasks_without_their_table(monkeypatch: pytest.MonkeyPatch) -> None:
    uninstall(monkeypatch, "django_tasks_db")
    assert registered(monkeypatch, "doc_priority.contrib.tasks") == set()


@pytest.mark.postgresql
def test_procrastinate(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registered(monkeypatch, "doc_priority.contrib.procrastinate") == {"procrastinate"}


@pytest.mark.postgresql
def test_procrastinate_without_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    uninstall(monkeypatch, "procrastinate.contrib.django")
    assert registered(monkeypatch, "doc_priority.contrib.procrastinate") == set()


def test_what_is_installed_tells() -> None:
    both = {"django-tasks", "procrastinate"}
    assert set(waiting.engines) == (both if connection.vendor == "postgresql" else {"django-tasks"})
