"""The extra `tasks`: Django tasks in the database, enqueued, worked off and put back."""

from tests.wheel.portal import Portal

SETTINGS = """
from importlib.util import find_spec

INSTALLED_APPS += ["django_tasks_db", "doc_priority.contrib.tasks"]
if not find_spec("django.tasks"):
    INSTALLED_APPS.append("django_tasks")
TASKS = {
    "default": {
        "BACKEND": "doc_priority.contrib.tasks.PriorityDatabaseBackend",
        "OPTIONS": {"prioritize": {"portal.tasks.process": {"customer": "customer"}}},
    }
}
"""

TASKS = """
try:
    from django.tasks import task
except ImportError:
    from django_tasks import task


@task
def process(customer):
    return customer
"""

ENQUEUING = """
from portal.tasks import process

priorities = [process.enqueue(customer="acme").task.priority for _ in range(4)]
assert priorities[0] == 40 > priorities[3], priorities
"""

AFTERWARDS = """
from django_tasks_db.models import DBTaskResult

assert [*DBTaskResult.objects.values_list("status", flat=True)] == ["SUCCESSFUL"] * 4
"""


def try_it(portal: Portal) -> None:
    portal.add_settings(SETTINGS)
    portal.write("tasks.py", TASKS)
    portal.manage("check")
    portal.manage("migrate", "--verbosity", "0")
    portal.shell(ENQUEUING)
    portal.manage("db_worker", "--batch", "--no-startup-delay")
    portal.shell(AFTERWARDS)
    portal.manage("put_back_tasks", "--older-than", "60")
