"""Which clients and documents somebody may see, and in which order things come."""

from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from doc_priority.models import Customer
from doc_priority.types import BEST_PRIORITY

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

QUEUED = "queued"


class ClientQuerySet(models.QuerySet[Any]):
    """The portal's clients."""

    def visible_to(self, user: "User | AnonymousUser") -> Self:
        """All of them for staff who may view clients; for everybody else their own."""
        if user.has_perm("portal.view_client"):
            return self
        return self.of_member(user)

    def of_member(self, user: "User | AnonymousUser") -> Self:
        """Those this user works for; a stranger works for none, not for those without members."""
        return self.filter(members__user_id=user.pk) if user.is_authenticated else self.none()

    def matching(self, text: str) -> Self:
        """The clients whose name or number contains the text."""
        return self.filter(Q(name__icontains=text) | Q(key__icontains=text)) if text else self

    def worst_first(self) -> Self:
        """By live priority, the worst first; whoever never sent anything has the best."""
        standing = Customer.objects.live().filter(key=OuterRef("key"))
        return self.alias(
            live_priority=Coalesce(Subquery(standing.values("priority")), Value(BEST_PRIORITY)),
            live_pending=Coalesce(Subquery(standing.values("pending_documents")), Value(0)),
        ).order_by("-live_priority", "live_pending", "name")


class DocumentQuerySet(models.QuerySet[Any]):
    """The documents dropped in the portal."""

    def visible_to(self, user: "User | AnonymousUser") -> Self:
        """All of them for staff who may view documents; for everybody else their clients'."""
        if user.has_perm("portal.view_document"):
            return self
        own = self.filter(client__members__user_id=user.pk)
        return own if user.is_authenticated else self.none()

    def newest_first(self) -> Self:
        return self.order_by("-pk")

    def in_worker_order(self) -> Self:
        """The queue: the best priority first, and among equals whoever came first."""
        return self.filter(status=QUEUED).order_by("priority", "pk")

    def with_place(self) -> Self:
        """Annotate the place in the whole queue, whoever the documents before belong to."""
        queue = self.model._default_manager.filter(status=QUEUED).order_by()
        before = queue.filter(
            Q(priority__lt=OuterRef("priority"))
            | Q(priority=OuterRef("priority"), pk__lte=OuterRef("pk"))
        )
        counted = before.values("status").annotate(number=Count("pk")).values("number")
        return self.annotate(place=Coalesce(Subquery(counted), Value(0)))
