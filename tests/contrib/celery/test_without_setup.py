"""Publishers that import the portal's Celery module, and do not set Django up."""

import subprocess
import sys

import pytest

from doc_priority.models import DocumentDecision
from tests.contrib.celery.conftest import MakePortal
from tests.shared_database import url_of_the_test_database

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis, pytest.mark.sqlite]

MODULE = "tests.contrib.celery.worker_app"
ARGUMENTS = '{"customer": "acme", "document": "D-1"}'
SCRIPT = f"""
from {MODULE} import app

print(app.send_task("portal.process", kwargs={ARGUMENTS}).id)
"""

WAYS = {
    "script": ("-c", SCRIPT),
    "command": ("-m", "celery", "-A", MODULE, "call", "portal.process", "--kwargs", ARGUMENTS),
}


@pytest.mark.parametrize("way", WAYS)
def test_documents_are_counted_and_sent(make_portal: MakePortal, way: str) -> None:
    app, terms = make_portal("redis")
    done = subprocess.run(
        (sys.executable, *WAYS[way]),
        env={**terms.environment(), "DATABASE_URL": url_of_the_test_database()},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert DocumentDecision.objects.get().document == "D-1"
    assert app.tasks["portal.process"].delay("acme", "D-1").id == done.stdout.strip()
