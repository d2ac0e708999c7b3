"""The adapter as an app of its own, for tasks that are declared before Procrastinate is ready."""

from importlib import import_module

from django.apps import AppConfig, apps
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from doc_priority.check_messages import TAG
from doc_priority.contrib.waiting import tells_oldest

OURS = "doc_priority.contrib.procrastinate"
THEIRS = "procrastinate.contrib.django"

WRONG_ORDER = (
    f"INSTALLED_APPS has {OURS!r} before {THEIRS!r}, so that tasks which Procrastinate imports as "
    "it gets ready would have no priority and be charged to nobody."
)
REMEDY = f"Put it after {THEIRS!r}."


def in_wrong_order() -> bool:
    """Whether our app gets ready first; then `prioritize_postponed` would come too early."""
    names = [config.name for config in apps.get_app_configs()]
    return {OURS, THEIRS} <= set(names) and names.index(OURS) < names.index(THEIRS)


class ProcrastinateConfig(AppConfig):
    name = OURS
    label = "doc_priority_procrastinate"
    verbose_name = _("Document priorities")

    def ready(self) -> None:
        register(import_module(f"{OURS}.checks").check_apps, TAG)
        import_module(f"{OURS}.prioritizing").prioritize_postponed()
        # Without Procrastinate's app there are no tables to ask; a check says so.
        if apps.is_installed(THEIRS):
            tells_oldest("procrastinate", import_module(f"{OURS}.waiting").oldest)
