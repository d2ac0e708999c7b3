"""The five tables. Every invariant is a constraint of the database."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Concat, Lower
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from doc_priority.exceptions import EventIsWritten, InvalidPolicy
from doc_priority.fields import BytewiseCharField, MicrosecondField
from doc_priority.indexes import NotNullIndex
from doc_priority.querysets import CustomerQuerySet, PrimaryQuerySet
from doc_priority.types import (
    ACTOR_LENGTH,
    BEST_PRIORITY,
    DOCUMENT_LENGTH,
    DOT_SEGMENTS,
    FLOOR,
    KEPT_FIELDS,
    KEY_LENGTH,
    KEY_PATTERN,
    MAX_RESET_INTERVAL,
    MIN_RESET_INTERVAL,
    NAME_LENGTH,
    REASON_LENGTH,
    SOURCE_LENGTH,
    THRESHOLD_FIELDS,
    WORST_PRIORITY,
    CounterState,
    Decision,
    NamedTerms,
    Pin,
    PolicyTerms,
    Recovery,
)
from doc_priority.validation import terms_of, to_microseconds

_DEFAULT_TERMS = PolicyTerms()


def utc_now() -> datetime:
    return datetime.now(UTC)


class Policy(models.Model):
    """An interval, a recovery and eight thresholds, to be given to customers."""

    name = BytewiseCharField(
        _("name"),
        max_length=64,
        unique=True,
        validators=[
            RegexValidator(
                r"\A\.\.?\Z",
                message=_("The name cannot be “.” or “..”. Use another name."),
                inverse_match=True,
            )
        ],
    )
    reset_interval = models.BigIntegerField(
        _("reset interval"),
        default=_DEFAULT_TERMS.reset_interval,
        help_text=_("In seconds."),
        validators=[
            MinValueValidator(MIN_RESET_INTERVAL),
            MaxValueValidator(MAX_RESET_INTERVAL),
        ],
    )
    recovery = models.CharField(
        _("recovery"),
        max_length=7,
        default=_DEFAULT_TERMS.recovery,
        choices=[
            (Recovery.IDLE.value, _("back to 0 after one interval without a document")),
            (Recovery.WINDOW.value, _("back to 0 one interval after it was last at 0")),
            (Recovery.HALVING.value, _("by half every tenth of the interval")),
        ],
    )
    threshold_1 = models.IntegerField(_("priority 2 below"), default=_DEFAULT_TERMS.thresholds[0])
    threshold_2 = models.IntegerField(_("priority 3 below"), default=_DEFAULT_TERMS.thresholds[1])
    threshold_3 = models.IntegerField(_("priority 4 below"), default=_DEFAULT_TERMS.thresholds[2])
    threshold_4 = models.IntegerField(_("priority 5 below"), default=_DEFAULT_TERMS.thresholds[3])
    threshold_5 = models.IntegerField(_("priority 6 below"), default=_DEFAULT_TERMS.thresholds[4])
    threshold_6 = models.IntegerField(_("priority 7 below"), default=_DEFAULT_TERMS.thresholds[5])
    threshold_7 = models.IntegerField(_("priority 8 below"), default=_DEFAULT_TERMS.thresholds[6])
    threshold_8 = models.IntegerField(_("priority 9 below"), default=_DEFAULT_TERMS.thresholds[7])

    objects = PrimaryQuerySet.as_manager()

    class Meta:
        verbose_name = _("policy")
        verbose_name_plural = _("policies")
        ordering = ("name",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(name="doc_priority_policy_name", condition=~Q(name="")),
            models.CheckConstraint(
                name="doc_priority_policy_dots", condition=~Q(name__in=DOT_SEGMENTS)
            ),
            models.CheckConstraint(
                name="doc_priority_policy_interval",
                condition=Q(reset_interval__range=(MIN_RESET_INTERVAL, MAX_RESET_INTERVAL)),
            ),
            models.CheckConstraint(
                name="doc_priority_policy_recovery",
                condition=Q(recovery__in=[recovery.value for recovery in Recovery]),
            ),
            models.CheckConstraint(
                name="doc_priority_policy_thresholds",
                condition=Q(
                    threshold_1__lte=0,
                    threshold_2__lt=F("threshold_1"),
                    threshold_3__lt=F("threshold_2"),
                    threshold_4__lt=F("threshold_3"),
                    threshold_5__lt=F("threshold_4"),
                    threshold_6__lt=F("threshold_5"),
                    threshold_7__lt=F("threshold_6"),
                    threshold_8__lt=F("threshold_7"),
                    threshold_8__gte=FLOOR,
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        super().clean()
        try:
            self.terms  # noqa: B018
        except InvalidPolicy as error:
            raise ValidationError(str(error), code=error.code) from error

    @property
    def thresholds(self) -> list[int]:
        return [getattr(self, name) for name in THRESHOLD_FIELDS]

    @thresholds.setter
    def thresholds(self, values: Sequence[int]) -> None:
        terms_of(self.reset_interval, self.recovery, values)
        for name, value in zip(THRESHOLD_FIELDS, values, strict=True):
            setattr(self, name, value)

    @property
    def terms(self) -> PolicyTerms:
        return terms_of(self.reset_interval, self.recovery, self.thresholds)

    @property
    def named_terms(self) -> NamedTerms:
        return NamedTerms(self.name, self.terms)


class Customer(models.Model):
    """A customer whose documents share the pipeline; the key is the portal's own id."""

    key = BytewiseCharField(
        _("ID"),
        max_length=KEY_LENGTH,
        unique=True,
        validators=[
            RegexValidator(
                rf"\A{KEY_PATTERN}\Z",
                message=_(
                    "Use 1 to 64 characters from: A-Z a-z 0-9 . _ ~ : @ -. "
                    "The ID cannot be “.” or “..”."
                ),
            )
        ],
    )
    name = models.CharField(_("name"), max_length=NAME_LENGTH, blank=True, default="")
    policy = models.ForeignKey(
        Policy,
        verbose_name=_("policy"),
        on_delete=models.PROTECT,
        related_name="customers",
        null=True,
        blank=True,
        help_text=_("Leave empty for the default policy."),
    )
    created_at = MicrosecondField(_("created at"), default=utc_now, editable=False)
    searched = models.GeneratedField(
        verbose_name=_("search text"),
        expression=Concat(Lower("key"), Value(" "), Lower("name")),
        output_field=BytewiseCharField(max_length=KEY_LENGTH + 1 + NAME_LENGTH),
        db_persist=True,
    )
    """The text that a search looks in: a column of its own, so that the database has statistics."""

    objects = CustomerQuerySet.as_manager()

    class Meta:
        verbose_name = _("customer")
        verbose_name_plural = _("customers")
        ordering = ("key",)
        permissions = (
            ("check_customer", _("Can submit documents for a customer")),
            ("reset_customer", _("Can reset a customer's counter")),
            ("pin_customer", _("Can pin the priority of a customer")),
        )
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                name="doc_priority_customer_key",
                condition=~Q(key="") & ~Q(key__regex="[^A-Za-z0-9._~:@-]"),
            ),
            models.CheckConstraint(
                name="doc_priority_customer_dots", condition=~Q(key__in=DOT_SEGMENTS)
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.key


class Counter(models.Model):
    """The row that a check changes, and the pin; a table of its own, because it changes often."""

    customer = models.OneToOneField(
        Customer,
        verbose_name=_("customer"),
        on_delete=models.CASCADE,
        to_field="key",
        primary_key=True,
        related_name="counter",
    )
    pending_documents = models.BigIntegerField(_("pending documents"), default=0)
    updated_at = MicrosecondField(_("last change"), null=True, db_index=True)
    recovered_at = MicrosecondField(_("last back at 0"), null=True)
    pinned_priority = models.SmallIntegerField(_("pinned priority"), null=True)
    pinned_until = MicrosecondField(_("pinned until"), null=True)
    """A pin without an end has `types.LAST_MOMENT` here; read `pin`, which translates it."""

    objects = PrimaryQuerySet.as_manager()

    class Meta:
        verbose_name = _("counter")
        verbose_name_plural = _("counters")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                name="doc_priority_counter_pending",
                condition=Q(pending_documents__range=(FLOOR, 0)),
            ),
            models.CheckConstraint(
                name="doc_priority_counter_times",
                condition=Q(updated_at__isnull=True, recovered_at__isnull=True)
                | Q(
                    updated_at__isnull=False,
                    recovered_at__isnull=False,
                    recovered_at__lte=F("updated_at"),
                ),
            ),
            models.CheckConstraint(
                name="doc_priority_counter_pin",
                condition=Q(pinned_priority__isnull=True, pinned_until__isnull=True)
                | Q(
                    pinned_priority__isnull=False,
                    pinned_until__isnull=False,
                    pinned_priority__range=(BEST_PRIORITY, WORST_PRIORITY),
                ),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            NotNullIndex(name="doc_priority_counter_pinned", fields=["pinned_until"]),
        ]

    def __str__(self) -> str:
        return f"{self.customer_id}: {self.pending_documents}"

    @property
    def state(self) -> CounterState:
        if self.updated_at is None or self.recovered_at is None:
            return CounterState()
        return CounterState(
            self.pending_documents,
            to_microseconds(self.updated_at),
            to_microseconds(self.recovered_at),
        )

    @property
    def pin(self) -> Pin | None:
        until = None if self.pinned_until is None else to_microseconds(self.pinned_until)
        return Pin.of_columns(self.pinned_priority, until)


class DocumentDecision(models.Model):
    """The decision on a named document; a repeated check finds it and returns it again."""

    customer = models.ForeignKey(
        Customer,
        verbose_name=_("customer"),
        on_delete=models.CASCADE,
        to_field="key",
        related_name="documents",
        db_index=False,
    )
    document = BytewiseCharField(_("document"), max_length=DOCUMENT_LENGTH)
    pending_documents = models.BigIntegerField(_("pending documents"))
    priority = models.SmallIntegerField(_("priority"))
    pinned = models.BooleanField(_("pinned"), default=False)
    reset = models.BooleanField(_("reset"), default=False)
    policy = models.CharField(_("policy"), max_length=64, blank=True, default="")
    decided_at = MicrosecondField(_("time of decision"), db_index=True)
    resets_at = MicrosecondField(_("back at 0 at"), null=True)

    objects = PrimaryQuerySet.as_manager()

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                name="doc_priority_decision_once", fields=["customer", "document"]
            ),
            models.CheckConstraint(
                name="doc_priority_decision_document", condition=~Q(document="")
            ),
            models.CheckConstraint(
                name="doc_priority_decision_priority",
                condition=Q(priority__range=(BEST_PRIORITY, WORST_PRIORITY)),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="doc_priority_decision_newest", fields=["customer", "-decided_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.customer_id} {self.document}: {self.priority}"

    @classmethod
    def of(cls, decision: Decision) -> "DocumentDecision":
        """An unsaved row with this decision."""
        kept = {name: getattr(decision, name) for name in KEPT_FIELDS}
        return cls(customer_id=decision.customer, **kept)

    @property
    def decision(self) -> Decision:
        """The decision as it was made, so not repeated."""
        kept = {name: getattr(self, name) for name in KEPT_FIELDS}
        return Decision(customer=self.customer_id, repeated=False, **kept)


class Event(models.Model):
    """Who did what to a customer, when and why; written once, never changed."""

    class Kind(models.TextChoices):
        RESET = "reset", pgettext_lazy("type of event", "reset")
        PIN = "pin", pgettext_lazy("type of event", "pin")
        UNPIN = "unpin", pgettext_lazy("type of event", "unpin")
        POLICY = "policy", pgettext_lazy("type of event", "policy change")
        FORGET = "forget", pgettext_lazy("type of event", "deletion")

    customer = BytewiseCharField(
        _("customer"),
        max_length=KEY_LENGTH,
        blank=True,
        help_text=_("Empty if the event is about a policy and all its customers."),
    )
    kind = models.CharField(_("type"), max_length=10, choices=Kind.choices)
    actor = models.CharField(_("who"), max_length=ACTOR_LENGTH, blank=True)
    reason = models.CharField(_("reason"), max_length=REASON_LENGTH, blank=True)
    before = models.JSONField(_("before"), default=dict)
    after = models.JSONField(_("after"), default=dict)
    source = models.CharField(_("via"), max_length=SOURCE_LENGTH, blank=True)
    created_at = MicrosecondField(_("created at"), db_index=True)

    objects = PrimaryQuerySet.as_manager()

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ("-created_at", "-id")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                name="doc_priority_event_kind",
                condition=Q(kind__in=["reset", "pin", "unpin", "policy", "forget"]),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="doc_priority_event_customer", fields=["customer", "-created_at"]),
            models.Index(name="doc_priority_event_of_kind", fields=["kind", "-created_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.customer}".strip()

    def save(self, **kwargs: Any) -> None:
        """Write a new event; raise EventIsWritten for one that has been written."""
        if not self._state.adding:
            raise EventIsWritten
        super().save(**kwargs)
