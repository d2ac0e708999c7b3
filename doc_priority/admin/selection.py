"""Which customers a correction is about: those that were ticked, wherever they are now."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest

from doc_priority.admin.base import is_number
from doc_priority.querysets import CustomerQuerySet

MOST = 1_000
"""Customers of one correction: as many as one can look over, and few enough to lock at once."""


class Selection(NamedTuple):
    """Primary keys as they were ticked, and how many were ticked in all."""

    pks: tuple[int, ...]
    ticked: int

    @classmethod
    def of(cls, pks: Iterable[int], *, ticked: int | None = None) -> Self:
        once = tuple(dict.fromkeys(pks))
        return cls(once[:MOST], len(once) if ticked is None else ticked)

    @classmethod
    def of_action(cls, request: HttpRequest, customers: CustomerQuerySet) -> Self:
        """What was ticked in the list.

        Django narrows the action's queryset by the filters of the list, as they apply now: a
        customer that has moved on since would silently be left out. Only where everybody was
        ticked, on all pages, the queryset says who that is.
        """
        if request.POST.get("select_across") == "1":
            pks = customers.values_list("pk", flat=True)
            return cls.of(pks[:MOST], ticked=customers.order_by().count())
        return cls.of(_numbers(request.POST.getlist(ACTION_CHECKBOX_NAME)))

    @classmethod
    def read(cls, texts: Iterable[str]) -> Self:
        """What a page of ours was given, or had kept: primary keys between commas."""
        return cls.of(_numbers(one for text in texts for one in text.split(",")))

    def __str__(self) -> str:
        return ",".join(map(str, self.pks))

    @property
    def left_over(self) -> int:
        return self.ticked - len(self.pks)

    def rows(self, customers: CustomerQuerySet) -> list[Any]:
        """Those that still exist, in the order they were ticked in."""
        found = customers.in_bulk(self.pks)
        return [found[pk] for pk in self.pks if pk in found]


def _numbers(texts: Iterable[str]) -> Iterable[int]:
    return (int(text) for text in texts if is_number(text))
