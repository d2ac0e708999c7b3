"""The portal as Django sees it."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PortalConfig(AppConfig):
    name = "example_project.portal"
    verbose_name = _("Example portal")
