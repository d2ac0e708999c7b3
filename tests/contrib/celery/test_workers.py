"""Real workers take documents in their order, and each is done, whoever is killed meanwhile."""

import os
import random
import signal
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis
from celery import chain, chord

from doc_priority import services
from doc_priority.models import Counter, DocumentDecision
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.workers import celery_worker, charged, eventually, inversions, run, running
from tests.servers import REDIS_URL
from tests.settings import BASE_DIR

pytestmark = pytest.mark.django_db(transaction=True)

DOCUMENTS = 300
PREFORK = ("--pool=prefork", "--concurrency=1")


@pytest.fixture
def pinned(db: None) -> None:
    """A customer at each of the nine levels, which is also its key."""
    until = datetime.now(UTC) + timedelta(hours=1)
    for priority in range(1, 10):
        services.check(str(priority))
        services.pin(str(priority), priority=priority, until=until, reason="test")


@pytest.mark.usefixtures("pinned")
@pytest.mark.parametrize("prioritized", [True, False])
def test_only_with_the_adapter_all_levels_are_taken_in_their_order(
    make_portal: MakePortal, broker: str, prioritized: bool
) -> None:
    app, terms = make_portal(broker, prioritized=prioritized)
    draw = random.Random(5)
    for number in range(DOCUMENTS):
        level = draw.randint(1, 9)
        app.tasks["portal.process"].delay(str(level), f"{level}-{number}")
    with celery_worker(terms, *PREFORK):
        begun = eventually(lambda: terms.begun(DOCUMENTS))
    levels = [int(line["document"].partition("-")[0]) for line in begun]
    assert len({line["document"] for line in begun}) == DOCUMENTS
    assert set(levels) == set(range(1, 10))
    if prioritized:
        assert inversions(levels) == 0
        assert [line["told"]["priority"] for line in begun] == levels
    else:
        assert inversions(levels) > 10 * DOCUMENTS


@pytest.mark.usefixtures("pinned")
@pytest.mark.parametrize("processes", [1, 2])
def test_an_urgent_one_starts_next(make_portal: MakePortal, broker: str, processes: int) -> None:
    app, terms = make_portal(broker)
    process = app.tasks["portal.process"]
    for number in range(40):
        process.delay("9", f"9-{number}", waits=True)
    with celery_worker(terms, "--pool=prefork", f"--concurrency={processes}"):
        eventually(lambda: terms.begun(processes))
        for level in (5, 2, 1, 1, 1):
            process.delay(str(level), f"{level}-urgent-{random.random()}")
        assert len(terms.begun()) < 40
        terms.gate.touch()
        begun = [int(line["document"][0]) for line in eventually(lambda: terms.begun(45))]
    assert begun[:processes] == [9] * processes
    # The last urgent one and a 9 may begin side by side, and note it in either order.
    next_ones = begun[processes : processes + 5 + (processes - 1)]
    assert sorted(next_ones)[:5] == [1, 1, 1, 2, 5]


@pytest.mark.redis
def test_what_a_worker_sends_itself(make_portal: MakePortal) -> None:
    """Retries are neither counted nor changed; a chord's callback and a chain's links are sent."""
    app, terms = make_portal("redis", result_backend=REDIS_URL)
    for number in range(9):
        services.check("acme", document=f"before-{number}")
    with celery_worker(terms, *PREFORK):
        app.tasks["portal.retried"].delay("acme", "D-1")
        begun = eventually(lambda: terms.begun(3))
        assert [line["retries"] for line in begun] == [0, 1, 2]
        assert {line["priority"] for line in begun} == {begun[0]["told"]["priority"]} == {5}
        assert {line["id"] for line in begun} == {begun[0]["id"]}
        assert charged() == 10
        process, following = app.tasks["portal.process"], app.tasks["portal.next"]
        done = chord([process.s("acme", f"C-{one}") for one in range(3)])(following.s())
        assert done.get(timeout=30) == ["C-0", "C-1", "C-2"]
        chained = chain(process.s("acme", "C-3"), following.s())()
        assert chained.get(timeout=30) == "C-3"
    assert charged() == 14


@pytest.mark.redis
def test_killed_publishers_and_workers_lose_no_document(make_portal: MakePortal) -> None:
    """Each is done at least once and charged exactly once, though all are killed again and again.

    Whoever is killed is started again at once. A publisher repeats the document it was at, and a
    message that a killed worker held comes back after Redis's visibility timeout. One it was about
    to take is lost with it, for Celery takes a message off its list before it notes who has it: so
    what is not done in the end is sent again, as a portal has to.
    """
    documents, kills, held_for = 100, 6, 12
    transport = {
        "visibility_timeout": 3,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        # Else a worker killed while it looks for them keeps all others from looking for minutes.
        "unacked_mutex_expire": 3,
    }
    _, terms = make_portal("redis", broker_transport_options=transport, task_ignore_result=True)
    # Notes each document it has sent; started again, it goes on behind the last.
    publish = """
import sys
from pathlib import Path

import django
from kombu.exceptions import OperationalError

django.setup()
from tests.contrib.celery.portal import app

noted = Path(sys.argv[1])
done = noted.stat().st_size if noted.exists() else 0
with noted.open("ab", buffering=0) as notes:
    for number in sys.argv[2 + done :]:
        sent = None
        while sent is None:
            try:
                document = (f"customer-{int(number) % 20}", f"D-{number}")
                sent = app.tasks["portal.process"].delay(*document)
            except OperationalError:
                pass
        notes.write(b".")
"""
    notes = [Path(terms.folder, f"noted-{number}") for number in range(2)]

    def publisher(note: Path, numbers: Iterable[int]) -> Any:
        return running("-c", publish, str(note), *map(str, numbers), **terms.environment())

    def undone() -> list[int]:
        begun = {line["document"] for line in terms.begun()}
        return [number for number in range(documents) if f"D-{number}" not in begun]

    def progress() -> int:
        sent = sum(note.stat().st_size for note in notes if note.exists())
        return sent + documents - len(undone())

    starts = [lambda: celery_worker(terms, *PREFORK)] * 2
    for first, note in enumerate(notes):
        starts.append(partial(publisher, note, range(first, documents, 2)))
    with ExitStack() as stack:
        crew = [stack.enter_context(start()) for start in starts]
        for number in range(kills):
            # Half of the documents have been sent or done when the last kill has happened.
            eventually(lambda due=documents * number / kills: progress() > due)
            place = random.choice([one for one in range(4) if crew[one].poll() is None])
            os.killpg(crew[place].pid, signal.SIGKILL)
            crew[place].wait()
            crew[place] = stack.enter_context(starts[place]())
        rounds = 0
        while (before := progress()) < 2 * documents:
            try:
                eventually(lambda before=before: progress() > before, seconds=held_for)
            except AssertionError:
                rounds += 1
                assert rounds < 5
                with publisher(Path(terms.folder, f"again-{rounds}"), undone()) as again:
                    assert again.wait(timeout=30) == 0

    assert undone() == []
    assert DocumentDecision.objects.count() == documents
    pending = Counter.objects.values_list("pending_documents", flat=True)
    assert sum(1 - count for count in pending) == documents


@pytest.mark.redis
def test_a_foreign_portal(tmp_path: Path) -> None:
    """By somebody else: the owner of a document is an attribute of an argument, or nobody.

    Its settings have the namespace CELERY_, and some of those that the adapter completes, its
    messages are pickled, and its call sites know nothing of customers.
    """
    prefix = f"doc_priority_test_{uuid4().hex}"
    files = {
        "__init__": "from archive.celery import app as celery_app",
        "settings": """
import os

BASE = os.path.dirname(__file__)
SECRET_KEY = "of a test, and long enough for every check that looks at keys " + "0123456789" * 2
USE_TZ = True
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "CONN_MAX_AGE": 60}}
DATABASES["default"]["NAME"] = os.path.join(BASE, "db.sqlite3")
DATABASES["default"]["OPTIONS"] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 2,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL",
}
INSTALLED_APPS = ["doc_priority"]
CELERY_BROKER_URL = "THE_URL"
CELERY_BROKER_TRANSPORT_OPTIONS = {"global_keyprefix": "THE_PREFIX:"}
CELERY_TASK_ANNOTATIONS = {"*": {"rate_limit": "1000/s"}}
CELERY_TASK_SERIALIZER = "pickle"
CELERY_ACCEPT_CONTENT = ["application/json", "application/x-python-serialize"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ROUTES = {"archive.tasks.consume_file": {"queue": "documents"}}
""",
        "celery": """
import os
from celery import Celery
from doc_priority.contrib.celery import prioritize

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.settings")
app = Celery("archive")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["archive"])
prioritize(
    app,
    "archive.tasks.consume_file",
    customer="overrides.owner_id",
    document=lambda call: str(call["input_doc"].name),
    missing="mail:room",
)
""",
        "tasks": """
from dataclasses import dataclass
from pathlib import Path
from celery import shared_task

@dataclass
class Overrides:
    owner_id: int | None = None
    title: str | None = None

@shared_task(bind=True)
def consume_file(self, input_doc: Path, overrides: Overrides | None = None):
    with Path(__file__).with_name("done").open("a") as done:
        done.write(f"{input_doc.name} {self.acks_late}\\n")
""",
        "send": """
from pathlib import Path
import django
from django.core.management import call_command
import archive
from archive.tasks import Overrides, consume_file

django.setup()
call_command("migrate", verbosity=0)
for number in range(12):
    consume_file.delay(Path(f"/in/anna-{number}"), Overrides(owner_id=7))
consume_file.delay(Path("/in/bert"), overrides=Overrides(owner_id=8))
consume_file.delay(Path("/in/folder"))
consume_file.delay(Path("/in/mail"), Overrides(title="no owner"))
consume_file.delay(Path("/in/anna-0"), Overrides(owner_id=7))
""",
    }
    Path(tmp_path, "archive").mkdir()
    for name, text in files.items():
        given = text.replace("THE_URL", REDIS_URL).replace("THE_PREFIX", prefix)
        Path(tmp_path, "archive", f"{name}.py").write_text(given)
    environment = {"DJANGO_SETTINGS_MODULE": "archive.settings", "CELERY_SKIP_CHECKS": "1"}
    environment["PYTHONPATH"] = f"{tmp_path}:{BASE_DIR}"
    run("-m", "archive.send", **environment)
    options = ("-Q", "documents", "-c", "1", "-l", "WARNING")
    done = tmp_path / "archive" / "done"
    with running("-m", "celery", "-A", "archive", "worker", *options, **environment):
        eventually(lambda: done.exists() and len(done.read_text().splitlines()) == 16)
        told = run("-m", "django", "doc_priority", "peek", "7", "8", "mail:room", **environment)
        told += run("-m", "django", "check", "--deploy", "--tag=doc_priority", **environment)
    names, late = zip(*map(str.split, done.read_text().splitlines()), strict=True)
    assert names[:6] == ("anna-0", "anna-1", "anna-2", "bert", "folder", "mail")
    assert names[6:] == (*(f"anna-{number}" for number in range(3, 12)), "anna-0")
    assert set(late) == {"True"}
    assert "7: priority 6, pending documents -11" in told
    assert "8: priority 1, pending documents 0" in told
    assert "mail:room: priority 1, pending documents -1" in told
    assert "no issues" in told
    with redis.Redis.from_url(REDIS_URL) as client:
        client.delete(*client.scan_iter(f"{prefix}:*"))
