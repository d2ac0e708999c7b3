"""The app's configuration: it registers checks and installs PostgreSQL's function."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.db import connections, router
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _

from doc_priority.counters import postgresql_function


class DocPriorityConfig(AppConfig):
    name = "doc_priority"
    verbose_name = _("Document priority system")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(install_function, sender=self)
        import_module("doc_priority.checks")
        import_module("doc_priority.contrib.celery_module")


def install_function(*, using: str, **kwargs: Any) -> None:
    """After `migrate`: install, update or remove the function that a check calls on PostgreSQL."""
    connection = connections[using]
    if connection.vendor == "postgresql" and router.allow_migrate(using, "doc_priority"):
        postgresql_function.follow_tables(connection)
