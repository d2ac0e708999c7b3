"""Which clients and documents somebody may see, and in which order things come."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import Case, Count, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

from doc_priority.models import Customer
from doc_priority.types import BEST_PRIORITY

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

QUEUED, PROCESSING, FAILED = "queued", "processing", "failed"


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
        """The queue, by its own number: a lower one first, and among equals whoever came first."""
        return self.filter(status=QUEUED).order_by("level", "pk")

    def with_place(self) -> Self:
        """Annotate the place in the whole queue, whoever the documents before belong to."""
        queue = self.model._default_manager.filter(status=QUEUED).order_by()
        before = queue.filter(
            Q(level__lt=OuterRef("level")) | Q(level=OuterRef("level"), pk__lte=OuterRef("pk"))
        )
        counted = before.values("status").annotate(number=Count("pk")).values("number")
        return self.annotate(place=Case(When(status=QUEUED, then=Subquery(counted))))

    def to_be_taken(self, *, given_up_before: datetime) -> Self:
        """What a worker may take: it waits, or it failed, or whoever took it must have died."""
        return self.filter(
            Q(status__in=[QUEUED, FAILED]) | Q(status=PROCESSING, started_at__lt=given_up_before)
        )
