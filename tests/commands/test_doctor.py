"""`doctor`: each of its probes, when all is well and when something is wrong."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.apps import AppConfig, apps
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

from doc_priority.models import Counter
from doc_priority.testing import set_priority
from tests.commands.conftest import Answer, Lines

pytestmark = pytest.mark.django_db


def failing(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    """All findings of a doctor that finds an error, in JSON."""
    with pytest.raises(CommandError, match="The doctor found errors") as raised:
        call_command("doc_priority", "doctor", "--json")
    assert raised.value.returncode == 1
    found: list[dict[str, str]] = json.loads(capsys.readouterr().out)
    return found


def only(found: list[dict[str, str]], level: str) -> dict[str, str]:
    (finding,) = [finding for finding in found if finding["level"] == level]
    assert finding["remedy"]
    return finding


def test_all_is_well(lines: Lines, answer: Answer) -> None:
    set_priority("acme", 7)
    found = lines("doctor")
    assert {line.split()[0] for line in found} == {"OK"}
    subjects = [line.split()[1] for line in found]
    assert subjects[:5] == ["settings:", "database:", "clocks:", "migrations:", "counters:"]
    assert subjects[5:] == (["function:"] if connection.vendor == "postgresql" else [])

    settings, database, *_ = answer("doctor")
    message = "DOC_PRIORITY can be used as it is."
    assert settings == {"level": "OK", "subject": "settings", "message": message, "remedy": ""}
    assert connection.display_name in database["message"]

    # The options that matter are told.
    told = found[1]
    for option in {
        "sqlite": ["transaction_mode IMMEDIATE", "journal_mode ", "busy_timeout 20000"],
        "postgresql": ["transaction_isolation read committed", "synchronous_commit on"],
        "mysql": ["sql_mode STRICT_TRANS_TABLES", "READ-COMMITTED"],
    }[connection.vendor]:
        assert option in told
    assert "CONN_MAX_AGE " in told


def test_settings_that_cannot_be_used(
    capsys: pytest.CaptureFixture[str], settings: Any, lines: Lines
) -> None:
    settings.DOC_PRIORITY = {"RECOVERY": "never", "LOCK_TIMEOUT_MS": "soon"}
    errors = [one for one in failing(capsys) if one["level"] == "ERROR"]
    ids = [one["message"].split()[0] for one in errors]
    assert ids == ["(doc_priority.E004)", "(doc_priority.E007)"]
    assert all(one["subject"] == "settings" for one in errors)

    settings.DOC_PRIORITY = None
    assert only(failing(capsys), "ERROR")["message"].startswith("(doc_priority.E001)")

    # The system checks do not stop the doctor, and a silenced one stays silent.
    settings.DOC_PRIORITY = {"RECOVERY": "never"}
    with pytest.raises(CommandError, match="errors: 1"):
        call_command("doc_priority", "doctor", skip_checks=False)
    assert "ERROR   settings: (doc_priority.E004)" in capsys.readouterr().out
    settings.SILENCED_SYSTEM_CHECKS = ["doc_priority.E004"]
    assert lines("doctor")[0] == "OK      settings: DOC_PRIORITY can be used as it is."


@pytest.mark.sqlite
def test_a_warning_leaves_the_exit_code(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(connection.settings_dict["OPTIONS"], "transaction_mode")
    _, warning, remedy, server, *_ = lines("doctor")
    assert warning.startswith("WARNING database: (doc_priority.W001)")
    assert remedy.startswith("        What to do: Set 'OPTIONS'")
    assert "transaction_mode DEFERRED" in server


def test_a_connection_per_request(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only servers are slow to connect to."""
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 0)
    warned = any("WARNING settings: (doc_priority.W004)" in line for line in lines("doctor"))
    assert warned is (connection.vendor != "sqlite")


def test_pending_migrations_and_a_vendor_nobody_knows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    MigrationRecorder(connection).record_unapplied("doc_priority", "0001_initial")
    found = failing(capsys)
    error = only(found, "ERROR")
    assert (error["subject"], error["message"]) == ("migrations", "Not applied: 0001_initial.")
    assert "migrate doc_priority --database default" in error["remedy"]
    assert found[-1] is error

    monkeypatch.setattr(connections["default"], "vendor", "oracle")
    found = failing(capsys)
    error = only(found, "ERROR")
    assert error["message"].startswith("(doc_priority.E014)")
    assert found[-1] is error


@pytest.mark.django_db(transaction=True)
def test_tables_that_are_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Although every migration is recorded as applied."""
    table, elsewhere = Counter._meta.db_table, "elsewhere"
    recorder = MigrationRecorder(connection)
    with connection.schema_editor() as editor:
        editor.alter_db_table(Counter, table, elsewhere)
    try:
        found = failing(capsys)
        error = only(found, "ERROR")
        assert error["subject"] == "tables"
        assert table in error["message"]
        assert "manage.py migrate doc_priority --database default" in error["remedy"]
        assert found[-1] is error

        # An empty app is installed as django_tenants, which migrates each schema.
        Path(tmp_path, "django_tenants").mkdir()
        Path(tmp_path, "django_tenants/__init__.py").touch()
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setitem(apps.app_configs, "django_tenants", AppConfig.create("django_tenants"))
        remedy = only(failing(capsys), "ERROR")["remedy"]
        assert "manage.py migrate_schemas" in remedy
        assert "manage.py tenant_command doc_priority doctor" in remedy

        recorder.record_unapplied("doc_priority", "0001_initial")
        try:
            remedy = only(failing(capsys), "ERROR")["remedy"]
        finally:
            recorder.record_applied("doc_priority", "0001_initial")
        assert "manage.py migrate_schemas" in remedy
        assert "tenant_command" not in remedy
    finally:
        with connection.schema_editor() as editor:
            editor.alter_db_table(Counter, elsewhere, table)


def test_counters_in_the_future(capsys: pytest.CaptureFixture[str], lines: Lines) -> None:
    """Up to a minute is tolerated."""
    now = datetime.now(UTC)
    set_priority("acme", 9, at=now + timedelta(seconds=30))
    assert "OK      counters: None was updated in the future." in lines("doctor")
    for number in range(7):
        set_priority(f"ahead-{number}", 9, at=now + timedelta(hours=number, seconds=90))
    error = only(failing(capsys), "ERROR")
    assert error["subject"] == "counters"
    assert error["message"].startswith("Updated in the future: 7, such as ahead-6 (")
    assert "ahead-2" in error["message"]
    assert "ahead-1" not in error["message"]


def test_clocks_that_differ(answer: Answer) -> None:
    for away in (-60, 3600):
        with time_machine.travel(datetime.now(UTC) + timedelta(seconds=away)):
            warning = only(answer("doctor"), "WARNING")
        assert warning["subject"] == "clocks"
        (shown,) = re.findall(r"is ([+-]\d+\.\d) s from this host's", warning["message"])
        assert float(shown) == pytest.approx(-away, abs=30)
        assert "NTP" in warning["remedy"]


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_another_isolation(answer: Answer) -> None:
    set_isolation, told = {
        "postgresql": ("SET LOCAL transaction_isolation = '{}'", "is repeatable read"),
        "mysql": ("SET SESSION TRANSACTION ISOLATION LEVEL {}", "REPEATABLE-READ"),
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(set_isolation.format("repeatable read"))
        try:
            warning = only(answer("doctor"), "WARNING")
        finally:
            if connection.vendor == "mysql":
                cursor.execute(set_isolation.format("read committed"))
    assert told in warning["message"]
