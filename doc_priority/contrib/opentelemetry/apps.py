"""The spans as an app of their own: being installed is all they need."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from doc_priority import observing
from doc_priority.contrib.opentelemetry.tracing import tracing


class OpenTelemetryConfig(AppConfig):
    name = "doc_priority.contrib.opentelemetry"
    label = "doc_priority_opentelemetry"
    verbose_name = _("Document priorities")

    def ready(self) -> None:
        observing.register(tracing)
