"""What a user may do, and for which customers."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from django.conf import settings as django_settings
from django.contrib.auth.models import Group, Permission, PermissionsMixin
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ImproperlyConfigured
from django.db import connections, router
from django.db.models import QuerySet
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from doc_priority.conf import settings
from doc_priority.exceptions import not_found
from doc_priority.models import Customer
from doc_priority.querysets import CustomerQuerySet
from doc_priority.validation import require_key, shortened

NEEDS = "This needs the permission {}."
MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"

BATCH = 500
"""Keys of one statement; few enough for every database's parameters."""


class HasOperationPermission(BasePermission):
    """The user has signed in and has the permission of the operation."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        user = request.user
        if user is None or not user.is_authenticated:
            return False
        method = str(request.method)
        permission = getattr(getattr(view, method.lower(), None), "permission", None)
        if permission is None:
            raise MethodNotAllowed(method)
        self.message = NEEDS.format(permission)
        if not hasattr(user, "has_perm"):
            return False
        return is_granted(user, permission) or user.has_perm(permission)


def is_granted(user: Any, permission: str) -> bool:
    """Whether Django's own backend is asked first and grants this, found in one short statement.

    False says nothing: then `has_perm` decides, with every backend and in its own way. It reads
    all permissions of a user in two long queries, which cost more than the check of a document.
    What the first backend grants nobody takes back. A user whose permissions are there already,
    read before or narrowed by whoever signed it in, is not asked for anew.
    """
    if (
        django_settings.AUTHENTICATION_BACKENDS[0] != MODEL_BACKEND
        or getattr(user.has_perm, "__func__", None) is not PermissionsMixin.has_perm
        or user._meta.get_field("groups").related_model is not Group
        or hasattr(user, "_perm_cache")
        or hasattr(user, "_user_perm_cache")
        or hasattr(user, "_group_perm_cache")
        or not user.is_active
        or user.is_superuser
    ):
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


@cache
def _statement(alias: str, user_model: Any) -> str:
    """SQL that gives a row if the user has a permission, directly or through a group."""
    quote = connections[alias].ops.quote_name

    def names(relation: Any) -> tuple[str, str, str]:
        """The table of a many-to-many relation, and its columns for this side and the other."""
        table, field = relation.through._meta.db_table, relation.field
        return quote(table), quote(field.m2m_column_name()), quote(field.m2m_reverse_name())

    own, own_user, own_permission = names(user_model.user_permissions)
    members, member, member_group = names(user_model.groups)
    granted, granted_group, granted_permission = names(Permission.group_set)
    # S608: only names of tables and columns are put in.
    return f"""\
SELECT 1 FROM {quote(Permission._meta.db_table)} p
WHERE p.content_type_id = %s AND p.codename = %s AND (
p.id IN (SELECT o.{own_permission} FROM {own} o WHERE o.{own_user} = %s)
OR p.id IN (SELECT g.{granted_permission} FROM {members} m
JOIN {granted} g ON g.{granted_group} = m.{member_group} WHERE m.{member} = %s))"""  # noqa: S608


def customers_of(user: Any) -> CustomerQuerySet:
    """The customers that this user may reach, read where checks are written."""
    customers = Customer.objects.primary()
    reach = settings.api_customers
    if reach is None:
        return customers
    reached = reach(user)
    # It must be able to stand within another query.
    if (
        not isinstance(reached, QuerySet)
        or reached.model is not Customer
        or reached.query.is_sliced
        or reached.query.combinator
        or reached.query.distinct_fields
    ):
        # A queryset is not read to be shown.
        is_queryset = isinstance(reached, QuerySet)
        what = f"a queryset of {reached.model.__name__}" if is_queryset else shortened(reached)
        raise ImproperlyConfigured(
            f"DOC_PRIORITY['API_CUSTOMERS'] gave {what} for a user; "
            "it must return a queryset of doc_priority.models.Customer that is neither sliced nor "
            "combined (union, intersection, difference) nor distinct on fields."
        )
    return customers.filter(pk__in=reached.order_by().values("pk"))


def limits_of(user: Any) -> CustomerQuerySet | None:
    """The customers this user may reach; None where the portal sets no limits."""
    return None if settings.api_customers is None else customers_of(user)


def require_reach(user: Any, keys: Iterable[str]) -> bool:
    """Refuse customers out of this user's reach as if they did not exist.

    Whether there are limits: without them no query is made; with them a check makes no customer.
    """
    if settings.api_customers is None:
        return False
    asked = list(dict.fromkeys(keys))
    for key in asked:
        require_key(key)
    reached: set[str] = set()
    for start in range(0, len(asked), BATCH):
        part = asked[start : start + BATCH]
        reached.update(customers_of(user).filter(key__in=part).values_list("key", flat=True))
    if missing := [key for key in asked if key not in reached]:
        raise not_found(*missing)
    return True


def require_customer(user: Any, key: str) -> None:
    """Refuse a customer that does not exist or is out of this user's reach."""
    require_key(key)
    if not customers_of(user).filter(key=key).exists():
        raise not_found(key)
