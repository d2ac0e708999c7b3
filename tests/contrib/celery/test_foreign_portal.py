"""A portal nobody here wrote: the owner of a document is an attribute of an argument, or nobody.

Its settings have the namespace CELERY_, it writes those down that the adapter would complete, its
messages are pickled, and its call sites know nothing of customers.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import redis

from tests.servers import REDIS_URL
from tests.contrib.celery.workers import end, eventually

pytestmark = [pytest.mark.redis, pytest.mark.sqlite]

SETTINGS = """
import os

BASE = os.path.dirname(__file__)
SECRET_KEY = "of a test, and long enough for every check that looks at keys " + "0123456789" * 2
USE_TZ = True
DATABASES = {{
    "default": {{
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.path.join(BASE, "db.sqlite3"),
        "CONN_MAX_AGE": 60,
        "OPTIONS": {{
            "transaction_mode": "IMMEDIATE",
            "timeout": 2,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL",
        }},
    }}
}}
INSTALLED_APPS = ["doc_priority"]
CELERY_BROKER_URL = "{url}"
CELERY_BROKER_TRANSPORT_OPTIONS = {{"global_keyprefix": "{prefix}:"{steps}}}
CELERY_TASK_ANNOTATIONS = {{"*": {{"rate_limit": "1000/s"}}}}
CELERY_TASK_SERIALIZER = "pickle"
CELERY_ACCEPT_CONTENT = ["application/json", "application/x-python-serialize"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ROUTES = {{"archive.tasks.consume_file": {{"queue": "documents"}}}}
"""

CELERY = """
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
"""

TASKS = """
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
"""

SEND = """
from pathlib import Path

import django

import archive
from archive.tasks import Overrides, consume_file

django.setup()
for number in range(12):
    consume_file.delay(Path(f"/in/anna-{number}"), Overrides(owner_id=7))
consume_file.delay(Path("/in/bert"), overrides=Overrides(owner_id=8))
consume_file.delay(Path("/in/folder"))
consume_file.delay(Path("/in/mail"), Overrides(title="no owner"))
consume_file.delay(Path("/in/anna-0"), Overrides(owner_id=7))
"""


WITHOUT_STEPS = ""
WRITTEN_DOWN = ', "priority_steps": list(range(10))'


@pytest.fixture(params=[WITHOUT_STEPS, WRITTEN_DOWN], ids=["without steps", "steps written down"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    prefix = f"doc_priority_test_{uuid4().hex}"
    package = tmp_path / "archive"
    package.mkdir()
    files = {
        "__init__": "from archive.celery import app as celery_app",
        "settings": SETTINGS.format(url=REDIS_URL, prefix=prefix, steps=request.param),
        "celery": CELERY,
        "tasks": TASKS,
        "send": SEND,
    }
    for name, text in files.items():
        package.joinpath(f"{name}.py").write_text(text)
    yield tmp_path
    with redis.Redis.from_url(REDIS_URL) as client:
        if keys := list(client.scan_iter(f"{prefix}:*")):
            client.delete(*keys)


def environment() -> dict[str, str]:
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "archive.settings", "CELERY_SKIP_CHECKS": "1"}


def run(folder: Path, *arguments: str) -> str:
    """What a program of the portal says, errors and all."""
    ended = subprocess.run(
        (sys.executable, "-m", *arguments),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


@pytest.fixture
def worker(folder: Path) -> Iterator[None]:
    """It reads the documents that were sent before."""
    run(folder, "django", "migrate", "--verbosity", "0")
    run(folder, "archive.send")
    options = ("-Q", "documents", "-c", "1", "-l", "WARNING")
    process = subprocess.Popen(
        (sys.executable, "-m", "celery", "-A", "archive", "worker", *options),
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    yield
    end(process)


@pytest.mark.usefixtures("worker")
def test_documents_of_owners_and_of_nobody(folder: Path) -> None:
    done = folder / "archive" / "done"
    eventually(lambda: done.exists() and len(done.read_text().splitlines()) == 16)
    names, late = zip(*map(str.split, done.read_text().splitlines()), strict=True)
    assert names[:6] == ("anna-0", "anna-1", "anna-2", "bert", "folder", "mail")
    assert names[6:] == (*(f"anna-{number}" for number in range(3, 12)), "anna-0")
    assert set(late) == {"True"}
    told = run(folder, "django", "doc_priority", "peek", "7", "8", "mail:room")
    assert "7: priority 6, pending documents -11" in told
    assert "8: priority 1, pending documents 0" in told
    assert "mail:room: priority 1, pending documents -1" in told
    checked = run(folder, "django", "check", "--deploy", "--tag", "doc_priority")
    assert "no issues" in checked
