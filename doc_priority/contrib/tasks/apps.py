"""The adapter as an app of its own, with a command, tagged checks, and no tables."""

from importlib import import_module

from django.apps import AppConfig, apps
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from doc_priority.check_messages import TAG
from doc_priority.contrib.waiting import tells_oldest


class TasksConfig(AppConfig):
    name = "doc_priority.contrib.tasks"
    label = "doc_priority_tasks"
    verbose_name = _("Document priorities")

    def ready(self) -> None:
        checks = import_module("doc_priority.contrib.tasks.checks")
        register(checks.check_tasks, TAG)
        # Without their app the tasks have no table; a check says so.
        if apps.is_installed("django_tasks_db"):
            recovering = import_module("doc_priority.contrib.tasks.recovering")
            tells_oldest("django-tasks", recovering.oldest)
