"""The metrics as an app of their own: being installed is all they need."""

from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from doc_priority import observing
from doc_priority.check_messages import TAG


class PrometheusConfig(AppConfig):
    name = "doc_priority.contrib.prometheus"
    label = "doc_priority_prometheus"
    verbose_name = _("Document priorities")

    def ready(self) -> None:
        from doc_priority.contrib.prometheus.checks import check_token
        from doc_priority.contrib.prometheus.metrics import recorder

        register(check_token, TAG)
        observing.register(recorder)
