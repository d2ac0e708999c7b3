"""The live list: what every customer stands at now, computed in SQL."""

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Case,
    ExpressionWrapper,
    F,
    FloatField,
    Func,
    Q,
    SmallIntegerField,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Floor, Greatest, Least, Log
from django.db.models.sql.compiler import SQLCompiler

from doc_priority.clock import moment_of
from doc_priority.conf import settings
from doc_priority.fields import DatabaseClock, MicrosecondField
from doc_priority.folding import contains_folded
from doc_priority.rules import TENTHS
from doc_priority.types import (
    BEST_PRIORITY,
    NO_END,
    SECOND,
    THRESHOLD_FIELDS,
    WORST_PRIORITY,
    Recovery,
    State,
)

STATES: dict[State, dict[str, bool]] = {
    State.PINNED: {"pinned": True},
    State.COUNTING: {"pinned": False, "counting": True},
    State.IDLE: {"pinned": False, "counting": False},
}

FULLY_HALVED = 30
"""So many halvings bring every counter to 0: the floor is above -2**30."""


class Quotient(Func):
    """The whole part of a division."""

    output_field = BigIntegerField()
    arg_joiner = " / "
    template = "(%(expressions)s)"

    def as_mysql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> Any:
        return self.as_sql(compiler, connection, arg_joiner=" DIV ", **context)


class ShiftedRight(Func):
    """A count that is not negative, halved so many times."""

    output_field = BigIntegerField()
    arg_joiner = " >> "
    template = "(%(expressions)s)"

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> Any:
        return self.as_sql(compiler, connection, template="(%(expressions)s::integer)", **context)

    def as_mysql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> Any:
        return self.as_sql(
            compiler, connection, template="CAST(%(expressions)s AS SIGNED)", **context
        )


class PriorityOf(Func):
    """The priority of a count under eight thresholds: a `Case` that compiles the count once."""

    output_field = SmallIntegerField()

    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, *_: Any, **_context: Any
    ) -> Any:
        (count, of_count), *thresholds = map(compiler.compile, self.get_source_expressions())
        worst_first = reversed(tuple(enumerate(thresholds, start=BEST_PRIORITY + 1)))
        whens, params = [], []
        for priority, (threshold, of_threshold) in worst_first:
            whens.append(f"WHEN {count} < {threshold} THEN {priority}")
            params += [*of_count, *of_threshold]
        return f"CASE {' '.join(whens)} ELSE {BEST_PRIORITY} END", params


class CustomerQuerySet(models.QuerySet[Any]):
    """Customers, and what each of them stands at now."""

    def search(self, text: str) -> Self:
        """Those with this text in their key or name, whatever its case and accents."""
        return self.filter(contains_folded(F("searched"), text))

    def in_state(self, state: State) -> Self:
        """Of the live list those that are pinned, else counting, else idle."""
        return self.filter(**STATES[state])

    def moving(self, *, now: datetime, since: datetime) -> Self:
        """Those who may stand elsewhere than at rest: updated since then, or pinned now.

        `selectors.activity` knows since when that is; indexes find them among all customers.
        """
        return self.filter(
            Q(counter__updated_at__gte=since) | Q(counter__pinned_until__gt=now),
        )

    def resting(self, *, now: datetime, since: datetime) -> Self:
        """All others: idle, at 0 and at priority 1, without a look at the rule."""
        return self.filter(
            Q(counter__updated_at__isnull=True) | Q(counter__updated_at__lt=since),
            Q(counter__pinned_until__isnull=True) | Q(counter__pinned_until__lte=now),
        )

    def at_priorities(self, best: int, worst: int) -> Self:
        """Of the live list those from one priority to another.

        What `priority__range` finds, with two thresholds in the statement instead of eight.
        """
        by_count = Q(pinned=False)
        if best > BEST_PRIORITY:
            by_count &= Q(pending_documents__lt=F(f"live_{THRESHOLD_FIELDS[best - 2]}"))
        if worst < WORST_PRIORITY:
            by_count &= Q(pending_documents__gte=F(f"live_{THRESHOLD_FIELDS[worst - 1]}"))
        by_hand = Q(pinned=True, counter__pinned_priority__range=(best, worst))
        return self.filter(by_hand | by_count)

    def live(self, at: datetime | None = None) -> Self:
        """Annotate what a peek at each customer would show, for filters, order and counts.

        `pending_documents`, `priority`, `counting`, `pinned`, `pinned_until`, `updated_at` and
        `resets_at`, at the database's time or at the given one. `rules` is the same in Python.
        A pin without an end is `pinned` and has no `pinned_until`.
        """
        return (
            self.alias(**_terms(), **_times(at))
            .alias(**_elapsed())
            .alias(live_over=_over())
            .alias(live_halvings=_halvings())
            .annotate(pending_documents=_pending_documents())
            .annotate(
                counting=_counting(),
                pinned=Case(
                    When(counter__pinned_until__gt=F("live_now"), then=True),
                    default=False,
                    output_field=BooleanField(),
                ),
                updated_at=F("counter__updated_at"),
            )
            .annotate(
                pinned_until=Case(
                    When(
                        pinned=True,
                        counter__pinned_until__lt=NO_END,
                        then=F("counter__pinned_until"),
                    )
                ),
                priority=_priority(),
                resets_at=Case(
                    When(counting=True, then=_resets_at()), output_field=MicrosecondField()
                ),
            )
        )


def _whole(expression: Any) -> Any:
    return ExpressionWrapper(expression, output_field=BigIntegerField())


def _terms() -> dict[str, Any]:
    default = settings.default_policy.terms
    return {
        "live_recovery": Coalesce("policy__recovery", Value(str(default.recovery))),
        "live_interval": _whole(
            Coalesce("policy__reset_interval", Value(default.reset_interval)) * Value(SECOND)
        ),
        **{
            f"live_{name}": Coalesce(f"policy__{name}", Value(threshold))
            for name, threshold in zip(THRESHOLD_FIELDS, default.thresholds, strict=True)
        },
    }


def _times(at: datetime | None) -> dict[str, Any]:
    moment = moment_of(at)
    clock = DatabaseClock() if moment is None else Value(moment, BigIntegerField())
    updated_at = Coalesce(_whole(F("counter__updated_at")), Value(0))
    return {"live_now": Greatest(_whole(clock), updated_at)}


def _elapsed() -> dict[str, Any]:
    return {
        "live_idle": _whole(F("live_now") - _whole(F("counter__updated_at"))),
        "live_window": _whole(F("live_now") - _whole(F("counter__recovered_at"))),
        "live_tenth": Quotient(F("live_interval"), Value(TENTHS)),
    }


def _over() -> Case:
    return Case(
        When(
            Q(counter__updated_at__isnull=True)
            | Q(live_idle__gt=F("live_interval"))
            | Q(live_recovery=Recovery.WINDOW.value, live_window__gt=F("live_interval")),
            then=True,
        ),
        default=False,
        output_field=BooleanField(),
    )


def _halvings() -> Case:
    return Case(
        When(
            live_recovery=Recovery.HALVING.value,
            then=Least(Quotient(F("live_window"), F("live_tenth")), Value(FULLY_HALVED)),
        ),
        default=0,
        output_field=BigIntegerField(),
    )


def _pending_documents() -> Case:
    return Case(
        When(live_over=True, then=0),
        default=_whole(
            Value(0) - ShiftedRight(_whole(-F("counter__pending_documents")), F("live_halvings"))
        ),
        output_field=BigIntegerField(),
    )


def _counting() -> Case:
    return Case(
        When(live_over=True, then=False),
        When(live_recovery=Recovery.HALVING.value, pending_documents=0, then=False),
        default=True,
        output_field=BooleanField(),
    )


def _priority() -> Case:
    thresholds = (F(f"live_{name}") for name in THRESHOLD_FIELDS)
    return Case(
        When(pinned=True, then=F("counter__pinned_priority")),
        default=PriorityOf(F("pending_documents"), *thresholds),
        output_field=SmallIntegerField(),
    )


def _resets_at() -> Case:
    recovered_at = _whole(F("counter__recovered_at"))
    idle_end = _whole(_whole(F("counter__updated_at")) + F("live_interval"))
    return Case(
        When(live_recovery=Recovery.WINDOW.value, then=_whole(recovered_at + F("live_interval"))),
        When(
            live_recovery=Recovery.HALVING.value,
            then=Least(idle_end, _whole(recovered_at + _bits() * F("live_tenth"))),
        ),
        default=idle_end,
        output_field=BigIntegerField(),
    )


def _bits() -> Any:
    """How often the stored count has to be halved to be 0; half a document keeps the log whole."""
    count = ExpressionWrapper(
        Value(0.5) - F("counter__pending_documents"), output_field=FloatField()
    )
    return _whole(Cast(Floor(Log(Value(2.0), count)), BigIntegerField()) + Value(1))
