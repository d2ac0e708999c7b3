"""The portal's clients and documents in the admin, to be looked at."""

from typing import TYPE_CHECKING, Any

import django_tasks_db.admin  # noqa: F401  # registers what is taken back below
import knox.admin  # noqa: F401  # the same
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_tasks_db.models import DBTaskResult
from knox.models import AuthToken

from example_project.portal.models import Client, Document

if TYPE_CHECKING:
    BaseAdmin = admin.ModelAdmin[Any]
else:
    BaseAdmin = admin.ModelAdmin


# Their pages are in English only; the portal has pages of its own for tokens and for what waits.
admin.site.unregister([AuthToken, DBTaskResult])


class ReadOnlyAdmin(BaseAdmin):
    """Nothing can be added, changed or deleted here; the portal's own pages do that."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Client)
class ClientAdmin(ReadOnlyAdmin):
    list_display = ("name", "key")
    search_fields = ("name", "key")
    ordering = ("name",)


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = ("name", "client", "status", "priority", "pending_documents", "dropped_at")
    list_filter = ("status", "priority")
    list_select_related = ("client",)
    search_fields = ("name", "reference", "client__name", "client__key")
    ordering = ("-pk",)
    show_full_result_count = False
    exclude = ("error", "pinned")
    readonly_fields = ("problem", "by_hand")

    @admin.display(description=_("error"), empty_value="–")
    def problem(self, document: Document) -> str:
        return document.problem

    @admin.display(description=_("pinned"))
    def by_hand(self, document: Document) -> str:
        """In words: Django's picture has `True` and `False` beside it in every language."""
        return _yes_or_no(document.pinned)


def _yes_or_no(value: bool) -> str:
    return gettext("yes") if value else gettext("no")
