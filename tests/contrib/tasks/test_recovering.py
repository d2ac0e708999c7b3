"""A worker that was killed leaves its document behind; it is put back and done."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from doc_priority.contrib.tasks.recovering import count_abandoned, put_back_abandoned
from doc_priority.exceptions import CounterBusy
from doc_priority.models import Counter
from tests.contrib.tasks import portal
from tests.contrib.tasks.worker import managing, run, wait_until, worker
from tests.sessions import open_transaction

NO_TIME = timedelta()
HOUR = timedelta(hours=1)


def abandon(pk: str, *, since: timedelta) -> None:
    DBTaskResult.objects.filter(pk=pk).update(
        status="RUNNING", started_at=timezone.now() - since, worker_ids=["w1"]
    )


@pytest.mark.django_db(transaction=True)
def test_after_a_kill_it_is_done_and_charged_once(tmp_path: Path) -> None:
    mark = tmp_path / "hangs"
    mark.touch()
    result = portal.hang_once.enqueue("acme", "INV-1", mark=str(mark))
    with managing(*worker("default")) as process:
        wait_until(lambda: not mark.exists())
        process.kill()
    run(*worker("default", "--batch"))
    result.refresh()
    assert result.status == "RUNNING"
    assert portal.hang_once.enqueue("acme", "INV-1", mark=str(mark)).status == "RUNNING"
    assert put_back_abandoned(older_than=NO_TIME) == 1
    run(*worker("default", "--batch"))
    result.refresh()
    assert (result.status, result.attempts) == ("SUCCESSFUL", 2)
    assert Counter.objects.get().pending_documents == 0


@pytest.mark.django_db
def test_only_what_runs_too_long_and_is_listed() -> None:
    old, new, other, ready = (
        task.enqueue("acme", document).id
        for task, document in [
            (portal.process, "INV-1"),
            (portal.process, "INV-2"),
            (portal.tidy_up, "INV-1"),
            (portal.process, "INV-3"),
        ]
    )
    abandon(old, since=2 * HOUR)
    abandon(new, since=HOUR / 2)
    abandon(other, since=2 * HOUR)
    assert count_abandoned(older_than=HOUR) == put_back_abandoned(older_than=HOUR) == 1
    rows = {str(row.pk): row for row in DBTaskResult.objects.all()}
    assert [rows[pk].status for pk in (old, new, other, ready)] == [
        "READY",
        "RUNNING",
        "RUNNING",
        "READY",
    ]
    assert (rows[old].worker_ids, rows[old].priority) == (["w1"], 40)
    assert put_back_abandoned(older_than=HOUR) == 0


@pytest.mark.django_db
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    abandon(portal.process.enqueue("acme", "INV-1").id, since=2 * HOUR)
    call_command("put_back_tasks", "--older-than=3600", "--dry-run")
    assert capsys.readouterr().out == "Would put back 1 task.\n"
    call_command("put_back_tasks", "--older-than=3600")
    assert capsys.readouterr().out == "Put back 1 task.\n"
    call_command("put_back_tasks", "--older-than=3600")
    assert capsys.readouterr().out == "Put back 0 tasks.\n"


@pytest.mark.parametrize("text", ["0", "-1", "1h", "1.5", ""])
def test_what_is_no_number_of_seconds(text: str) -> None:
    with pytest.raises(CommandError, match="not a number of seconds"):
        call_command("put_back_tasks", f"--older-than={text}")


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql
@pytest.mark.mariadb
def test_the_command_says_when_rows_are_locked(settings) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 100}
    abandon(portal.process.enqueue("acme", "INV-1").id, since=2 * HOUR)
    lock = "UPDATE django_tasks_database_dbtaskresult SET queue_name = 'x'"
    refused = pytest.raises(CommandError, match="LOCK_TIMEOUT_MS")
    with open_transaction(lock), refused as refusal:
        call_command("put_back_tasks", "--older-than=3600")
    assert isinstance(refusal.value.__cause__, CounterBusy)
