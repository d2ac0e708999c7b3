"""The adapter as an app of its own, for tasks that are declared before Procrastinate is ready."""

from importlib import import_module

from django.apps import AppConfig, apps
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from doc_priority.check_messages import TAG
from doc_priority.contrib.procrastinate.checks import check_apps
from doc_priority.contrib.procrastinate.installation import THEIRS
from doc_priority.contrib.procrastinate.prioritizing import prioritize_those_waiting
from doc_priority.contrib.waiting import tells_oldest


class ProcrastinateConfig(AppConfig):
    name = "doc_priority.contrib.procrastinate"
    label = "doc_priority_procrastinate"
    verbose_name = _("Document priorities")

    def ready(self) -> None:
        register(check_apps, TAG)
        prioritize_those_waiting()
        # Without its tables there is nothing to ask, and a check says so.
        if apps.is_installed(THEIRS):
            waiting = import_module("doc_priority.contrib.procrastinate.waiting")
            tells_oldest("procrastinate", waiting.oldest)
