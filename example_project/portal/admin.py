"""The portal's clients and documents in the admin, to be looked at."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from example_project.portal.models import Client, Document

if TYPE_CHECKING:
    BaseAdmin = admin.ModelAdmin[Any]
else:
    BaseAdmin = admin.ModelAdmin


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
