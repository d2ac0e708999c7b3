"""The portal's own tables: its customers, who works for them, and the documents they submitted.

In code a customer of the portal is a `Client`, to be told from doc_priority's `Customer` of the
same key.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Case, Count, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from doc_priority.models import Customer
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class ClientQuerySet(models.QuerySet[Any]):
    def visible_to(self, user: "User | AnonymousUser") -> Self:
        """All of them for staff who may view customers; for everybody else their own."""
        if user.has_perm("portal.view_client"):
            return self
        # A stranger's key is None: `in` finds nothing, `=` would find customers without members.
        return self.filter(members__user_id__in=[user.pk])

    def worst_first(self) -> Self:
        """By live priority, the worst first; whoever never sent anything has the best."""
        live = Customer.objects.live().filter(key=OuterRef("key"))
        return self.alias(
            live_priority=Coalesce(Subquery(live.values("priority")), Value(BEST_PRIORITY)),
            live_pending=Coalesce(Subquery(live.values("pending_documents")), Value(0)),
        ).order_by("-live_priority", "live_pending", "name")


class Client(models.Model):
    """A company that submits documents; to doc_priority it is the customer with the same key."""

    key = models.CharField(
        _("customer ID"),
        max_length=32,
        unique=True,
        help_text=_("Letters, digits and hyphens. It cannot be changed later."),
        validators=[
            RegexValidator(r"\A[A-Za-z0-9-]+\Z", _("Use letters, digits and hyphens only."))
        ],
    )
    name = models.CharField(_("name"), max_length=200)

    objects = ClientQuerySet.as_manager()

    class Meta:
        verbose_name = _("customer")
        verbose_name_plural = _("customers")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Member(models.Model):
    """The customer somebody works for, and so sees the documents of."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.CASCADE,
        primary_key=True,
    )
    client = models.ForeignKey(
        Client, verbose_name=_("customer"), on_delete=models.CASCADE, related_name="members"
    )

    class Meta:
        verbose_name = _("customer's user")
        verbose_name_plural = _("customers' users")

    def __str__(self) -> str:
        return f"{self.user} ({self.client})"


class DocumentQuerySet(models.QuerySet[Any]):
    def visible_to(self, user: "User | AnonymousUser") -> Self:
        """All of them for staff who may view documents; for everybody else their customers'."""
        if user.has_perm("portal.view_document"):
            return self
        return self.filter(client__members__user_id__in=[user.pk])

    def in_worker_order(self) -> Self:
        """The queue, by its own number: a lower one first, and among equals whoever came first."""
        return self.filter(status=Document.Status.QUEUED).order_by("level", "pk")

    def with_place(self) -> Self:
        """Annotate the place in the whole queue, whoever the documents before belong to."""
        before = Document.objects.filter(
            Q(level__lt=OuterRef("level")) | Q(level=OuterRef("level"), pk__lte=OuterRef("pk")),
            status=Document.Status.QUEUED,
        )
        place = before.order_by().values("status").annotate(number=Count("pk")).values("number")
        return self.annotate(place=Case(When(status="queued", then=Subquery(place))))


class Document(models.Model):
    """One submitted document, the priority it got and how far it has come."""

    class Status(models.TextChoices):
        QUEUED = "queued", pgettext_lazy("document", "waiting")
        PROCESSING = "processing", pgettext_lazy("document", "working")
        DONE = "done", pgettext_lazy("document", "done")
        FAILED = "failed", pgettext_lazy("document", "failed")

    client = models.ForeignKey(
        Client, verbose_name=_("customer"), on_delete=models.CASCADE, related_name="documents"
    )
    reference = models.CharField(_("reference"), max_length=64)
    name = models.CharField(_("name"), max_length=200)
    status = models.CharField(
        _("status"), max_length=10, choices=Status.choices, default=Status.QUEUED
    )
    error = models.TextField(blank=True, default="")
    # What was decided is copied: doc_priority deletes its decisions after some time.
    priority = models.SmallIntegerField(_("priority"))
    level = models.SmallIntegerField(
        _("queue level"), help_text=_("The number by which the queue sorts documents.")
    )
    pending_documents = models.BigIntegerField()
    pinned = models.BooleanField(default=False)
    policy = models.CharField(_("policy"), max_length=64, blank=True, default="")
    dropped_at = models.DateTimeField(_("received at"), default=timezone.now)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="portal_document_once", fields=["client", "reference"]),
            models.CheckConstraint(
                name="portal_document_status",
                condition=Q(status__in=["queued", "processing", "done", "failed"]),
            ),
            models.CheckConstraint(
                name="portal_document_priority",
                condition=Q(priority__range=(BEST_PRIORITY, WORST_PRIORITY)),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="portal_document_queue", fields=["status", "level", "id"]),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def why(self) -> str:
        """Why it got its priority, in words."""
        sent = -self.pending_documents
        if self.pinned:
            template = gettext("Support had set priority %(priority)d for this customer.")
        elif sent == 0:
            template = gettext("First document after a pause: the counter was at 0.")
        else:
            template = ngettext(
                "%(count)s document sent before it: priority %(priority)d.",
                "%(count)s documents sent before it: priority %(priority)d.",
                sent,
            )
        reason = template % {"count": number_format(sent), "priority": self.priority}
        return f"{reason} {gettext('Policy:')} {self.policy}" if self.policy else reason

    @property
    def waited(self) -> timedelta:
        """From its arrival to the start, or until now."""
        return max((self.started_at or timezone.now()) - self.dropped_at, timedelta())

    @property
    def took(self) -> timedelta | None:
        """From the start to the end, if it has come to one."""
        return self.finished_at - self.started_at if self.started_at and self.finished_at else None
