"""The querysets of the tables, and `live()`, which is the rule in SQL for a list of customers."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Self, TypeVar

from django.apps import apps
from django.db import models, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, BooleanField, F, Func, Q, SmallIntegerField, Value
from django.db.models.sql.compiler import SQLCompiler

from doc_priority.clock import DatabaseClock, moment_of
from doc_priority.conf import settings
from doc_priority.fields import MicrosecondField
from doc_priority.rules import TENTHS
from doc_priority.search import contains_folded
from doc_priority.types import (
    NO_END,
    SECOND,
    THRESHOLD_FIELDS,
    WORST_PRIORITY,
    Recovery,
)

Row = TypeVar("Row", bound=models.Model, covariant=True)

NONE = Q(pk__in=())
ALL = ~NONE


def alias_for_write() -> str:
    """The database that counters are written to; a replica may be behind it."""
    return router.db_for_write(_counter())


@cache
def _counter() -> type[models.Model]:
    """Asked for late, because `models` imports this module; and once, because each check asks."""
    return apps.get_model("doc_priority", "Counter")


class PrimaryQuerySet(models.QuerySet[Row]):
    """The queryset of every table of this app."""

    def primary(self) -> Self:
        """The rows as they are where counters are written."""
        return self.using(alias_for_write())

    def after(
        self,
        values: Sequence[Any],
        *,
        order: Sequence[str],
        limit: int,
        equal: Mapping[str, Any] | None = None,
    ) -> list[Any]:
        """The first rows in this order; with values, the first that come after these values.

        The columns of the order are never null, and the last one is unique. `equal` has the columns
        in which all rows have the same value, so that the database need not compare them.
        """
        equal = equal or {}
        beyond, same = NONE, ALL
        for name, value in zip(order, values, strict=False):
            column, descending = name.removeprefix("-"), name.startswith("-")
            if column in equal:
                is_later = equal[column] < value if descending else equal[column] > value
                later, as_late = (ALL if it else NONE for it in (is_later, equal[column] == value))
            else:
                later = Q((f"{column}__{'lt' if descending else 'gt'}", value))
                as_late = Q((column, value))
            beyond |= same & later
            same &= as_late
        rows = self.filter(beyond) if values else self
        differing = [name for name in order if name.removeprefix("-") not in equal]
        return list(rows.order_by(*differing)[:limit])


class CustomerQuerySet(PrimaryQuerySet[Any]):
    """Customers, and the live state of each."""

    def search(self, text: str) -> Self:
        """Customers with this text in their key or name, whatever its case and accents."""
        return self.filter(contains_folded(F("searched"), text))

    def maybe_active(self, *, now: datetime, since: datetime) -> Self:
        """Customers updated since this time, or pinned now; indexes find them.

        `selectors.activity` gives both times.
        """
        return self.filter(
            Q(counter__updated_at__gte=since) | Q(counter__pinned_until__gt=now),
        )

    def surely_idle(self, *, now: datetime, since: datetime) -> Self:
        """All other customers. They are idle, at 0 and priority 1, so the rule need not be run."""
        return self.filter(
            Q(counter__updated_at__isnull=True) | Q(counter__updated_at__lt=since),
            Q(counter__pinned_until__isnull=True) | Q(counter__pinned_until__lte=now),
        )

    moving, resting = maybe_active, surely_idle
    """The names in version 0.1, which are public."""

    def live(self, at: datetime | None = None) -> Self:
        """Annotate what a peek at each customer would show, to filter, sort and count by it.

        The annotations are `pending_documents`, `priority`, `counting`, `pinned`, `pinned_until`,
        `updated_at` and `resets_at`, at the database's time or at `at`. A pin without an end is
        `pinned` and has no `pinned_until`. The same rule in Python is in `rules`.
        """
        moment = moment_of(at)
        default = settings.default_policy.terms
        row = LiveRow(
            clock=DatabaseClock() if moment is None else Value(moment, BigIntegerField()),
            default_interval=Value(default.reset_interval),
            default_recovery=Value(str(default.recovery)),
            reset_interval=F("policy__reset_interval"),
            recovery=F("policy__recovery"),
            pending=F("counter__pending_documents"),
            updated_at=F("counter__updated_at"),
            recovered_at=F("counter__recovered_at"),
            pinned_priority=F("counter__pinned_priority"),
            pinned_until=F("counter__pinned_until"),
            **{name: F(f"policy__{name}") for name in THRESHOLD_FIELDS},
            **{
                f"default_{name}": Value(threshold)
                for name, threshold in zip(THRESHOLD_FIELDS, default.thresholds, strict=True)
            },
        )
        return self.alias(live_row=row).annotate(
            pending_documents=LiveColumn("pending_documents", BigIntegerField()),
            counting=LiveColumn("counting", BooleanField()),
            pinned=LiveColumn("pinned", BooleanField()),
            updated_at=F("counter__updated_at"),
            pinned_until=LiveColumn("pinned_until", MicrosecondField()),
            priority=LiveColumn("priority", SmallIntegerField()),
            resets_at=LiveColumn("resets_at", MicrosecondField()),
        )


class LiveRow(Func):
    """The input of the rule by name: columns of a customer, the default policy and the time.

    It has no SQL of its own: every `LiveColumn` puts some of these into its SQL.
    """

    def __init__(self, **sources: Any) -> None:
        super().__init__(*sources.values())
        self.names = tuple(sources)


class LiveColumn(Func):
    """A column of the live list: its SQL from `live_sql`, with the input from a `LiveRow`."""

    def __init__(self, column: str, output_field: "models.Field[Any, Any]") -> None:
        super().__init__(F("live_row"), output_field=output_field)
        self.column = column

    def resolve_expression(self, *args: Any, **kwargs: Any) -> Any:
        # Every lookup resolves its left side again whenever it is compiled. A resolved column does
        # not change, and copying it each time would take most of the time of a page.
        is_resolved = isinstance(self.source_expressions[0], LiveRow)
        return self if is_resolved else super().resolve_expression(*args, **kwargs)

    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, *args: Any, **context: Any
    ) -> Any:
        row: Any = self.source_expressions[0]
        sources = dict(zip(row.names, row.source_expressions, strict=True))
        compiled = cache(lambda name: compiler.compile(sources[name]))
        params: list[Any] = []

        def written(found: re.Match[str]) -> str:
            sql, values = compiled(found[1])
            params.extend(values)
            return sql

        return re.sub(r"\$(\w+)", written, live_sql(connection.vendor)[self.column]), tuple(params)


@cache
def live_sql(vendor: str) -> dict[str, str]:
    """The SQL of each live column on this database; `$name` stands for that input of `LiveRow`."""
    if vendor == "postgresql":
        greatest, least, divided = "GREATEST", "LEAST", "/"
        # `>>` takes an integer as its second argument, and no bigint.
        halved = "(-$pending >> ({halvings})::integer)"
        # LOG gives a float. Half a document more keeps it away from whole numbers, where rounding
        # could give the wrong one.
        bits = "(FLOOR(LOG(2, 0.5 - $pending))::bigint + 1)"
        # width_bucket and INTERVAL take the count once, and the thresholds in rising order. Eight
        # comparisons would repeat the SQL of the count eight times.
        by_count = "{worst} - width_bucket({count}, ARRAY[{rising}]::bigint[])"
    elif vendor == "mysql":
        # `/` has decimals, and `>>` is unsigned.
        greatest, least, divided = "GREATEST", "LEAST", "DIV"
        halved = "CAST(-$pending >> ({halvings}) AS SIGNED)"
        bits = "(CAST(FLOOR(LOG(2, 0.5 - $pending)) AS SIGNED) + 1)"
        by_count = "{worst} - INTERVAL({count}, {rising})"
    else:
        greatest, least, divided = "MAX", "MIN", "/"
        halved = "(-$pending >> ({halvings}))"
        bits = "(CAST(FLOOR(LOG(2, 0.5 - $pending)) AS INTEGER) + 1)"
        by_count = "{worst} - ({at_or_above})"

    # A counter's time never goes back.
    now = f"{greatest}($clock, COALESCE($updated_at, 0))"
    interval = f"(COALESCE($reset_interval, $default_interval) * {SECOND})"
    tenth = f"({interval} {divided} {TENTHS})"
    recovery = "COALESCE($recovery, $default_recovery)"
    is_window = f"{recovery} = '{Recovery.WINDOW}'"
    is_halving = f"{recovery} = '{Recovery.HALVING}'"
    is_over = (
        f"($updated_at IS NULL OR {now} - $updated_at > {interval}"
        f" OR ({is_window} AND {now} - $recovered_at > {interval}))"
    )
    # 30 halvings bring every counter to 0, because the floor is above -2**30.
    halvings = (
        f"CASE WHEN {is_halving}"
        f" THEN {least}(({now} - $recovered_at) {divided} {tenth}, 30) ELSE 0 END"
    )
    halved = halved.format(halvings=halvings)
    count = f"CASE WHEN {is_over} THEN 0 ELSE -{halved} END"
    thresholds = [f"COALESCE(${name}, $default_{name})" for name in reversed(THRESHOLD_FIELDS)]
    by_count = by_count.format(
        worst=WORST_PRIORITY,
        count=count,
        rising=", ".join(thresholds),
        at_or_above=" + ".join(f"(({count}) >= {threshold})" for threshold in thresholds),
    )
    counting = f"(NOT {is_over} AND (NOT {is_halving} OR {halved} > 0))"
    pinned = f"($pinned_until IS NOT NULL AND $pinned_until > {now})"
    resets_at = (
        f"CASE WHEN {is_window} THEN $recovered_at + {interval}"
        f" WHEN {is_halving}"
        f" THEN {least}($updated_at + {interval}, $recovered_at + {bits} * {tenth})"
        f" ELSE $updated_at + {interval} END"
    )
    return {
        "pending_documents": f"({count})",
        "counting": counting,
        "pinned": pinned,
        "pinned_until": f"(CASE WHEN {pinned} AND $pinned_until < {NO_END} THEN $pinned_until END)",
        "priority": f"(CASE WHEN {pinned} THEN $pinned_priority ELSE {by_count} END)",
        "resets_at": f"(CASE WHEN {counting} THEN {resets_at} END)",
    }
