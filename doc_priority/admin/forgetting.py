"""A customer that is forgotten takes along what the admin's own history kept of it."""

from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import router
from django.db.models.signals import post_delete
from django.dispatch import receiver

from doc_priority.models import Customer


@receiver(post_delete, sender=Customer)
def forget_history(instance: Customer, **kwargs: Any) -> None:
    """Its names and the reasons given, whoever forgets it: the admin, REST, a command."""
    alias = router.db_for_write(LogEntry)
    content_type = ContentType.objects.db_manager(alias).get_for_model(Customer)
    LogEntry.objects.using(alias).filter(
        content_type=content_type, object_id=str(instance.pk)
    ).delete()
