"""Is Procrastinate's app for Django installed, and ours after it?"""

from django.apps import apps

OURS = "doc_priority.contrib.procrastinate"
THEIRS = "procrastinate.contrib.django"

WRONG_ORDER = (
    f"INSTALLED_APPS has {OURS!r} before {THEIRS!r}, so that tasks which Procrastinate imports as "
    "it gets ready would have no priority and be charged to nobody."
)
REMEDY = f"Put it after {THEIRS!r}."


def in_wrong_order() -> bool:
    """Ours comes first, and so nothing that waits for Procrastinate's app is ever handed over."""
    names = [config.name for config in apps.get_app_configs()]
    return {OURS, THEIRS} <= set(names) and names.index(OURS) < names.index(THEIRS)
