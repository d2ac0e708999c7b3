"""Which customers somebody may reach."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet

from doc_priority.conf import settings
from doc_priority.exceptions import not_found
from doc_priority.models import Customer
from doc_priority.querysets import CustomerQuerySet
from doc_priority.validation import require_key, shortened

BATCH = 500
"""Keys of one statement; few enough for every database's parameters."""


def has_limits() -> bool:
    """Whether the portal says who reaches whom; then a check makes no customers."""
    return settings.api_customers is not None


def customers_of(user: Any) -> CustomerQuerySet:
    """The customers that this user may reach, read where checks are written."""
    customers = Customer.objects.primary()
    reach = settings.api_customers
    if reach is None:
        return customers
    reached = reach(user)
    if not _is_plain(reached):
        raise ImproperlyConfigured(
            f"DOC_PRIORITY['API_CUSTOMERS'] gave {_told(reached)} for a user; "
            "it must return a queryset of doc_priority.models.Customer that is neither sliced nor "
            "combined (union, intersection, difference) nor distinct on fields."
        )
    return customers.filter(pk__in=reached.order_by().values("pk"))


def _is_plain(reached: object) -> bool:
    """Whether it can stand within another query."""
    return (
        isinstance(reached, QuerySet)
        and reached.model is Customer
        and not (reached.query.is_sliced or reached.query.combinator)
        and not reached.query.distinct_fields
    )


def _told(reached: object) -> str:
    """What came back; a queryset is not read to be shown."""
    if isinstance(reached, QuerySet):
        return f"a queryset of {reached.model.__name__}"
    return shortened(reached)


def require_reach(user: Any, keys: Iterable[str]) -> None:
    """Refuse customers out of this user's reach as if there were none; no query without limits."""
    if not has_limits():
        return
    asked = list(dict.fromkeys(keys))
    for key in asked:
        require_key(key)
    reached: set[str] = set()
    for start in range(0, len(asked), BATCH):
        part = asked[start : start + BATCH]
        reached.update(customers_of(user).filter(key__in=part).values_list("key", flat=True))
    if missing := [key for key in asked if key not in reached]:
        raise not_found(*missing)


def limits_of(user: Any) -> CustomerQuerySet | None:
    """The customers this user may reach; none where there are no limits."""
    return customers_of(user) if has_limits() else None


def require_customer(user: Any, key: str) -> None:
    """Refuse a customer that is not there, or out of this user's reach."""
    require_key(key)
    if not customers_of(user).filter(key=key).exists():
        raise not_found(key)
