"""Django's settings for the noisy neighbour: PostgreSQL, and the recovery of this run."""

from importlib.util import find_spec
from typing import Any

from benchmarks.noisy_plan import Plan
from benchmarks.settings import (
    DATABASES as ALL_DATABASES,
)
from benchmarks.settings import (
    DEFAULT_AUTO_FIELD,
    SECRET_KEY,
    USE_TZ,
)

__all__ = ["DATABASES", "DEFAULT_AUTO_FIELD", "SECRET_KEY", "USE_TZ"]

PLAN = Plan.current()
TASK = "benchmarks.noisy_tasks.process"

DATABASES: dict[str, Any] = {"default": ALL_DATABASES["postgresql"]}
DEBUG = False
TIME_ZONE = "UTC"
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    *([] if find_spec("django.tasks") else ["django_tasks"]),
    "django_tasks_db",
    "doc_priority",
]
DOC_PRIORITY = {"RESET_INTERVAL": PLAN.terms.reset_interval, "RECOVERY": PLAN.terms.recovery}

PRIORITIES = {
    "BACKEND": "doc_priority.contrib.tasks.PriorityDatabaseBackend",
    "OPTIONS": {"prioritize": {TASK: {"customer": "customer_key", "document": "document_id"}}},
}
NO_PRIORITIES = {"BACKEND": "django_tasks_db.DatabaseBackend"}
TASKS = {"default": PRIORITIES if PLAN.has_priorities else NO_PRIORITIES}
