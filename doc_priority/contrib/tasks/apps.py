"""The adapter as an app of its own, with a command, tagged checks, and no tables."""

from django.apps import AppConfig, apps
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from doc_priority.check_messages import TAG
from doc_priority.contrib import waiting


class TasksConfig(AppConfig):
    name = "doc_priority.contrib.tasks"
    label = "doc_priority_tasks"
    verbose_name = _("Document priorities")

    def ready(self) -> None:
        from doc_priority.contrib.tasks.checks import check_tasks

        register(check_tasks, TAG)
        # Without their app the tasks have no table; a check says so.
        if apps.is_installed("django_tasks_db"):
            from doc_priority.contrib.tasks.recovering import oldest

            waiting.engines["django-tasks"] = oldest
