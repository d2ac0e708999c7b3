"""Whether somebody may do what an operation does."""

from functools import cache
from typing import TYPE_CHECKING, Any

from django.conf import settings as django_settings
from django.contrib.auth.models import Group, Permission, PermissionsMixin
from django.contrib.contenttypes.models import ContentType
from django.db import connections, router
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

if TYPE_CHECKING:
    from doc_priority.api.endpoint import Endpoint

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"
CACHES = ("_perm_cache", "_user_perm_cache", "_group_perm_cache")


class HasOperationPermission(BasePermission):
    """The user has the permission that the operation names; nobody has it without signing in."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if TYPE_CHECKING:
            assert isinstance(view, Endpoint)  # nosec B101 - for the type checker
        user = request.user
        if user is None or not user.is_authenticated:
            return False
        permission = view.operation.permission
        self.message = f"This needs the permission {permission}."
        if not hasattr(user, "has_perm"):
            return False
        return is_granted(user, permission) or user.has_perm(permission)


def is_granted(user: Any, permission: str) -> bool:
    """Whether Django's own backend is asked first and grants this, found in one short statement.

    False says nothing: then `has_perm` decides, with every backend and in its own way. It reads
    all permissions of a user in two long queries, which cost more than the check of a document.
    """
    if not _asks_the_database(user) or not user.is_active or user.is_superuser:
        return False
    app_label, _, codename = permission.partition(".")
    alias = router.db_for_read(Permission, instance=user)
    content_types = ContentType.objects.db_manager(alias)
    try:
        content_type = content_types.get_by_natural_key(app_label, codename.rpartition("_")[2])
    except ContentType.DoesNotExist:
        return False
    connection = connections[alias]
    key = user._meta.pk.get_db_prep_value(user.pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(_statement(alias, user._meta.model), [content_type.pk, codename, key, key])
        return cursor.fetchone() is not None


def _asks_the_database(user: Any) -> bool:
    """Whether `has_perm` would ask Django's backend first, and that the database.

    What the first backend grants nobody takes back. A user whose permissions are there already,
    read before or narrowed by whoever signed it in, is not asked for anew.
    """
    return (
        django_settings.AUTHENTICATION_BACKENDS[0] == MODEL_BACKEND
        and getattr(user.has_perm, "__func__", None) is PermissionsMixin.has_perm
        and user._meta.get_field("groups").related_model is Group
        and not any(hasattr(user, name) for name in CACHES)
    )


@cache
def _statement(alias: str, user_model: Any) -> str:
    """A row if the user has a permission, of its own or through a group."""
    quote = connections[alias].ops.quote_name
    own, groups = user_model.user_permissions, user_model.groups
    of_groups = Permission.group_set
    names = {
        "permission": Permission._meta.db_table,
        "own": own.through._meta.db_table,
        "own_user": own.field.m2m_column_name(),
        "own_permission": own.field.m2m_reverse_name(),
        "membership": groups.through._meta.db_table,
        "member": groups.field.m2m_column_name(),
        "member_of": groups.field.m2m_reverse_name(),
        "granted": of_groups.through._meta.db_table,
        "granted_to": of_groups.field.m2m_column_name(),
        "granted_permission": of_groups.field.m2m_reverse_name(),
    }
    return _TEMPLATE.format_map({name: quote(value) for name, value in names.items()})


_TEMPLATE = """\
SELECT 1 FROM {permission} p WHERE p.content_type_id = %s AND p.codename = %s AND (
p.id IN (SELECT o.{own_permission} FROM {own} o WHERE o.{own_user} = %s)
OR p.id IN (SELECT g.{granted_permission} FROM {membership} m
JOIN {granted} g ON g.{granted_to} = m.{member_of} WHERE m.{member} = %s))"""
