"""A real worker takes documents in order; tasks of a killed worker are put back."""

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from doc_priority import services
from doc_priority.conf import settings as doc_priority_settings
from doc_priority.contrib.tasks.recovering import abandoned, put_back_abandoned
from doc_priority.exceptions import CounterBusy
from doc_priority.models import Counter, DocumentDecision
from doc_priority.rules import depth_of
from doc_priority.testing import set_pending_documents
from tests.contrib.tasks import portal
from tests.contrib.workers import db_worker, eventually, inversions, manage, running
from tests.databases import open_transaction

pytestmark = pytest.mark.django_db(transaction=True)

DOCUMENTS = 150
COUNTS = [0, -2, -4, -6, -8, -10, -12, -14, -20, -41, -167, -700, -6000]
"""The counts of the customers at the start: every priority, and several depths within 9."""
BACKLOG = 100
URGENT = 5


def started() -> Any:
    return DBTaskResult.objects.filter(started_at__isnull=False).order_by("started_at")


def levels_of(documents: Sequence[str]) -> list[int]:
    """The priority of each, and the depth within it."""
    thresholds = doc_priority_settings.default_policy.terms.thresholds
    decided = {
        one.document: 10 * one.priority
        + (depth_of(one.pending_documents, thresholds) if one.priority == 9 else 0)
        for one in DocumentDecision.objects.all()
    }
    return [decided[document] for document in documents]


def subjects() -> list[tuple[str, str]]:
    """Documents of customers at every level, in a random order."""
    for count in COUNTS:
        set_pending_documents(f"customer{count}", count)
    return [(f"customer{random.choice(COUNTS)}", str(number)) for number in range(DOCUMENTS)]


@pytest.mark.parametrize("backend", ["default", "plain"])
def test_only_with_the_adapter_all_levels_are_taken_in_their_order(backend: str) -> None:
    for customer, document in subjects():
        if backend == "plain":
            services.check(customer, document=document)
        portal.process.using(backend=backend).enqueue(customer, document)
    manage(*db_worker(backend, "--batch"))
    levels = levels_of([row.args_kwargs["args"][1] for row in started()])
    assert len(levels) == DOCUMENTS
    assert len(set(levels)) > 12
    if backend == "default":
        assert inversions(levels) == 0
    else:
        assert inversions(levels) > DOCUMENTS


@pytest.mark.parametrize("backend", ["default", "plain"])
def test_an_urgent_document_starts_next(backend: str) -> None:
    """Although many at 9 wait already; without the adapter it waits for them."""
    set_pending_documents("flood", -50)
    task = portal.process.using(backend=backend)
    for number in range(BACKLOG):
        task.enqueue("flood", document_id=str(number))
    with running("-m", "django", *db_worker(backend)):
        eventually(lambda: started().count() > BACKLOG // 10)
        sent = {}
        for number in range(URGENT):
            result = task.enqueue(f"quiet{number}", document_id="urgent")
            sent[result.id] = timezone.now()
        eventually(lambda: started().filter(pk__in=sent).count() == URGENT)
        rows = list(started())
    others = [row.started_at for row in rows if str(row.pk) not in sent]
    overtaken_by = [
        [moment for moment in others if sent[str(row.pk)] < moment < row.started_at]
        for row in rows
        if str(row.pk) in sent
    ]
    if backend == "default":
        assert len(others) < BACKLOG, "nothing was left to be overtaken"
        # The worker may have taken one already when the urgent one came.
        assert max(map(len, overtaken_by)) <= 1
    else:
        assert sum(map(len, overtaken_by)) > BACKLOG


def test_within_9_who_sent_less_goes_first() -> None:
    """A customer with a document every 5 s beside one that dropped 5,000."""
    set_pending_documents("flood", -5000)
    set_pending_documents("steady", -300)
    for number in range(20):
        for customer in ("flood", "steady"):
            portal.process.enqueue(customer, document_id=str(number))
    assert services.peek("steady").priority == services.peek("flood").priority == 9
    manage(*db_worker("default", "--batch"))
    customers = [row.args_kwargs["args"][0] for row in started()]
    assert customers == ["steady"] * 20 + ["flood"] * 20


def test_after_a_kill_it_is_done_and_charged_once(tmp_path: Path) -> None:
    mark = tmp_path / "hangs"
    mark.touch()
    result = portal.hang_once.enqueue("acme", "INV-1", mark=str(mark))
    with running("-m", "django", *db_worker("default")):
        eventually(lambda: not mark.exists())  # and is killed
    assert portal.hang_once.enqueue("acme", "INV-1", mark=str(mark)).status == "RUNNING"
    assert put_back_abandoned(older_than=timedelta()) == 1
    manage(*db_worker("default", "--batch"))
    result.refresh()
    assert (result.status, result.attempts) == ("SUCCESSFUL", 2)
    assert Counter.objects.get().pending_documents == 0


def test_what_runs_too_long_and_is_listed_is_put_back(capsys: pytest.CaptureFixture[str]) -> None:
    def abandon(pk: str, *, since: timedelta) -> None:
        DBTaskResult.objects.filter(pk=pk).update(
            status="RUNNING", started_at=timezone.now() - since, worker_ids=["w1"]
        )

    hour = timedelta(hours=1)
    old = portal.process.enqueue("acme", "INV-1").id
    new = portal.process.enqueue("acme", "INV-2").id
    other = portal.tidy_up.enqueue("acme", "INV-1").id
    portal.process.enqueue("acme", "INV-3")
    abandon(old, since=2 * hour)
    abandon(new, since=hour / 2)
    abandon(other, since=2 * hour)
    assert abandoned(hour).count() == put_back_abandoned(older_than=hour) == 1
    running = {str(row.pk) for row in DBTaskResult.objects.filter(status="RUNNING")}
    assert running == {new, other}
    row = DBTaskResult.objects.get(pk=old)
    assert (row.status, row.worker_ids, row.priority) == ("READY", ["w1"], 40)
    assert put_back_abandoned(older_than=hour) == 0
    # The command
    abandon(old, since=2 * hour)
    for options, said in [
        (["--dry-run"], "Would put back 1 task.\n"),
        ([], "Put back 1 task.\n"),
        ([], "Put back 0 tasks.\n"),
    ]:
        call_command("put_back_tasks", "--older-than=3600", *options)
        assert capsys.readouterr().out == said
    for text in ("0", "-1", "1h", "1.5", ""):
        with pytest.raises(CommandError, match="not a number of seconds"):
            call_command("put_back_tasks", f"--older-than={text}")


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_the_command_says_when_rows_are_locked(settings: Any) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 100}
    portal.process.enqueue("acme", "INV-1")
    started = timezone.now() - timedelta(hours=2)
    DBTaskResult.objects.update(status="RUNNING", started_at=started, worker_ids=["w1"])
    lock = "UPDATE django_tasks_database_dbtaskresult SET queue_name = 'x'"
    refused = pytest.raises(CommandError, match="LOCK_TIMEOUT_MS")
    with open_transaction(lock), refused as refusal:
        call_command("put_back_tasks", "--older-than=3600")
    assert isinstance(refusal.value.__cause__, CounterBusy)
