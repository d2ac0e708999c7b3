"""The portal's own tables: its clients, who works for them, and the documents they dropped."""

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY
from example_project.portal.explanations import explain
from example_project.portal.querysets import ClientQuerySet, DocumentQuerySet


class Client(models.Model):
    """A company that drops documents; to doc_priority it is the customer with the same key."""

    key = models.CharField(
        _("client number"),
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
        verbose_name = _("client")
        verbose_name_plural = _("clients")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Member(models.Model):
    """The client somebody works for, and so sees the documents of."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.CASCADE,
        primary_key=True,
    )
    client = models.ForeignKey(
        Client, verbose_name=_("client"), on_delete=models.CASCADE, related_name="members"
    )

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")

    def __str__(self) -> str:
        return f"{self.user} ({self.client})"


class Document(models.Model):
    """One dropped document, the priority it got and how far it has come."""

    class Status(models.TextChoices):
        QUEUED = "queued", _("waiting")
        PROCESSING = "processing", _("started")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    client = models.ForeignKey(
        Client, verbose_name=_("client"), on_delete=models.CASCADE, related_name="documents"
    )
    reference = models.CharField(_("reference"), max_length=64)
    name = models.CharField(_("name"), max_length=200)
    status = models.CharField(
        _("status"), max_length=10, choices=Status.choices, default=Status.QUEUED
    )
    error = models.TextField(_("error"), blank=True, default="")
    # What was decided is copied: doc_priority deletes its decisions after some time.
    priority = models.SmallIntegerField(_("priority"))
    level = models.SmallIntegerField(
        _("level"), help_text=_("The queue's own number, by which workers take documents.")
    )
    pending_documents = models.BigIntegerField(_("pending documents"))
    pinned = models.BooleanField(_("pinned"), default=False)
    policy = models.CharField(_("policy"), max_length=64, blank=True, default="")
    dropped_at = models.DateTimeField(_("dropped at"), default=timezone.now)
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
        """Why it got its priority, in one sentence."""
        return explain(
            priority=self.priority,
            pending_documents=self.pending_documents,
            pinned=self.pinned,
            policy=self.policy,
        )

    @property
    def problem(self) -> str:
        """Why it failed, in the reader's language."""
        return gettext(self.error) if self.error else ""

    @property
    def waited(self) -> timedelta:
        """From the drop to the start, or until now."""
        return max((self.started_at or timezone.now()) - self.dropped_at, timedelta())

    @property
    def took(self) -> timedelta | None:
        """From the start to the end, if it has come to one."""
        if self.started_at is None or self.finished_at is None:
            return None
        return self.finished_at - self.started_at
