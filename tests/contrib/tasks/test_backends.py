"""The backend over one that is not the database's, and made before the apps are ready."""

import subprocess
import sys
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.exceptions import ImproperlyConfigured

from doc_priority.contrib.tasks import PriorityDatabaseBackend
from doc_priority.models import Counter
from doc_priority.testing import set_priority
from tests.contrib.tasks import portal
from tests.contrib.tasks.collecting import PrioritizingCollectingBackend
from tests.settings import BASE_DIR

LISTED = {portal.process.module_path: {"customer": "customer_key", "document": "document_id"}}
PARAMS = {"QUEUES": ["default", "documents"], "OPTIONS": {"prioritize": LISTED}}


@pytest.fixture
def backend(db: None) -> PrioritizingCollectingBackend:
    return PrioritizingCollectingBackend("default", PARAMS)


def test_another_backend_gets_the_priority(backend: PrioritizingCollectingBackend) -> None:
    set_priority("acme", 7)
    backend.enqueue(portal.process, ["acme", "INV-1"], {})
    backend.enqueue(portal.process, ["acme", "INV-1"], {})
    backend.enqueue(portal.tidy_up, ["acme", "INV-1"], {})
    async_to_sync(backend.aenqueue)(portal.tidy_up, ["acme", "INV-1"], {})
    async_to_sync(backend.aenqueue)(portal.process, [], {"customer_key": "b", "document_id": 1})
    assert [task.priority for task in backend.tasks] == [-20, -20, 0, 0, 40]
    assert Counter.objects.get(customer="b").pending_documents == 0


def test_when_it_refuses_nothing_is_charged(backend: PrioritizingCollectingBackend) -> None:
    with pytest.raises(OSError, match="full"):
        backend.enqueue(portal.process, ["acme", "full"], {})
    assert not Counter.objects.exists()


@pytest.mark.parametrize("options", [{}, {"prioritize": {}}, {"prioritize": {"a.b": {}}}])
def test_a_misshapen_list_is_refused_at_the_first_task(options: dict[str, Any]) -> None:
    backend = PriorityDatabaseBackend("default", {**PARAMS, "OPTIONS": options})
    with pytest.raises(ImproperlyConfigured, match=r"'OPTIONS': \{'prioritize'"):
        backend.enqueue(portal.process, ["acme", "INV-1"], {})


def test_a_task_may_be_declared_before_the_apps_are_ready() -> None:
    program = (
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
        "from tests.contrib.tasks import portal\n"
        "import django; django.setup()\n"
        "print(type(portal.process.get_backend()).__name__)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=BASE_DIR, capture_output=True, text=True, check=True
    )
    assert answer.stdout == "PriorityDatabaseBackend\n"
