"""The portal's customers and documents in the admin, to be looked at."""

import django_tasks_db.admin  # noqa: F401  # registers what is taken back below
import knox.admin  # noqa: F401  # the same
from django.contrib import admin
from django.db.models import F, Model
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_tasks_db.models import DBTaskResult
from knox.models import AuthToken

from example_project.portal.models import Client, Document

# Their pages are in English only; what waits is on a page of the portal.
admin.site.unregister([AuthToken, DBTaskResult])


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # Django takes none here
    """Nothing can be added, changed or deleted here; the portal's own pages do that."""

    def never(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    has_add_permission = has_change_permission = has_delete_permission = never


@admin.register(Client)
class ClientAdmin(ReadOnlyAdmin):
    list_display = ("name", "key")
    search_fields = ("name", "key")


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = ("name", "client", "status", "priority", "sent_lately", "dropped_at")
    list_filter = ("status", "priority")
    list_select_related = ("client",)
    search_fields = ("name", "reference", "client__name", "client__key")
    ordering = ("-pk",)
    show_full_result_count = False
    exclude = ("error", "pending_documents", "pinned")
    readonly_fields = ("sent_lately", "problem")

    @admin.display(description=_("sent lately"), ordering=-F("pending_documents"))
    def sent_lately(self, document: Document) -> str:
        return number_format(-document.pending_documents)

    @admin.display(description=_("error"), empty_value="–")
    def problem(self, document: Document) -> str:
        return gettext(document.error) if document.error else ""
