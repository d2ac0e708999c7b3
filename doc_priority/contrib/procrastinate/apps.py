"""The adapter as an app of its own, for tasks that are declared before Procrastinate is ready."""

from django.apps import AppConfig, apps
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from doc_priority.check_messages import TAG
from doc_priority.contrib import waiting
from doc_priority.contrib.procrastinate import prioritize_postponed
from doc_priority.contrib.procrastinate.checks import THEIRS, check_apps
from doc_priority.contrib.procrastinate.job_manager import oldest


class ProcrastinateConfig(AppConfig):
    name = "doc_priority.contrib.procrastinate"
    label = "doc_priority_procrastinate"
    verbose_name = _("Document priorities")

    def ready(self) -> None:
        register(check_apps, TAG)
        prioritize_postponed()
        # Without Procrastinate's app there are no tables to ask; a check says so.
        if apps.is_installed(THEIRS):
            waiting.engines["procrastinate"] = oldest
