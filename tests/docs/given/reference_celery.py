"""What the page on Celery takes for granted: a portal with a task and a broker."""

from tests.docs.project import Project

SETTINGS = """\
INSTALLED_APPS += ["doc_priority", "portal"]
DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE"}
CELERY_BROKER_URL = "redis://127.0.0.1:6379/15"
"""
TASKS = """\
from celery import shared_task


@shared_task
def process(customer_key, document_id):
    pass
"""


def portal(project: Project) -> None:
    project.append("portal/settings.py", SETTINGS)
    project.write("portal/tasks.py", TASKS)
    project.write("portal/__init__.py", "from .celery import app as celery_app\n")
