"""Is the module imported in which the portal prioritises its Celery tasks?

Imports no Celery: where that module is forgotten, the adapter and its checks are, too.
"""

import sys
from collections.abc import Iterator
from importlib.abc import InspectLoader
from importlib.util import find_spec
from typing import Any

from django.conf import settings as django_settings
from django.core.checks import CheckMessage, register

from doc_priority.check_messages import TAG, SystemCheck

ADAPTER = "doc_priority.contrib.celery"

W028 = SystemCheck(
    "W028",
    f"{{module}} names {ADAPTER} and is not imported by the project: here documents are sent "
    "without a priority, and not counted.",
    "Write 'from .celery import app as celery_app' into the __init__.py of {package}.",
)


@register(TAG)
def check_celery_module(**kwargs: Any) -> list[CheckMessage]:
    """A module `celery` of the project that names the adapter is there when the apps are."""
    if find_spec("celery") is None:
        return []
    return [
        W028(module=name, package=name.rpartition(".")[0])
        for name in dict.fromkeys(_candidates())
        if name not in sys.modules and ADAPTER in _source_of(name)
    ]


def _candidates() -> Iterator[str]:
    """In the packages that settings and URLs lie in, and in those around them."""
    for setting in ("SETTINGS_MODULE", "ROOT_URLCONF"):
        package = str(getattr(django_settings, setting, None) or "")
        while package := package.rpartition(".")[0]:
            yield f"{package}.celery"


def _source_of(name: str) -> str:
    """Empty where there is none to be read."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return ""  # what it would lie in is no package
    loader = None if spec is None else spec.loader
    return (loader.get_source(name) or "") if isinstance(loader, InspectLoader) else ""
