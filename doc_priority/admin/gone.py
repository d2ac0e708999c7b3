"""What is said of a customer whose page is asked for after it was deleted."""

from django.contrib.admin.models import DELETION, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.http import HttpRequest
from django.utils.translation import gettext as _

from doc_priority.models import Customer


def told_as_gone(request: HttpRequest, pk: int) -> str:
    """By its key, where the admin's history has it and this user may see the keys of everybody."""
    key = _key_of(pk) if request.user.has_perm("doc_priority.view_event") else ""
    if not key:
        return _("There is no such customer; perhaps somebody deleted it.")
    return _("The customer “%(customer)s” no longer exists: somebody deleted it.") % {
        "customer": key
    }


def _key_of(pk: int) -> str:
    deletions = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Customer),
        object_id=str(pk),
        action_flag=DELETION,
    )
    return deletions.values_list("object_repr", flat=True).first() or ""
