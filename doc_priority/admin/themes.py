"""The class our pages are built on: django-unfold's where the portal has it, else Django's."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.contrib import admin

if TYPE_CHECKING:
    ThemedAdmin = admin.ModelAdmin[Any]
else:
    # Without unfold's own class its list has no button that runs an action.
    ThemedAdmin = import_module(
        "unfold.admin" if apps.is_installed("unfold") else admin.__name__
    ).ModelAdmin
