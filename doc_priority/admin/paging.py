"""Pages of the live list that cost the same however many customers are at rest."""

from typing import TYPE_CHECKING, Any

from django.core.paginator import Page, Paginator
from django.utils.functional import cached_property

from doc_priority.querysets import CustomerQuerySet
from doc_priority.selectors import Activity, about_number_of, number_of

if TYPE_CHECKING:
    BasePaginator = Paginator[Any]
else:
    BasePaginator = Paginator

WORST_FIRST = ("-priority", "pending_documents", "key")
MOVING_FIRST = ("-priority", "pending_documents")
MOVING_LAST = ("priority", "-pending_documents")


class LivePaginator(BasePaginator):
    """Orders only the customers that may move; the others are equal and come by their key.

    In any other order than one by priority or pending documents alone it is Django's own.
    """

    object_list: CustomerQuerySet

    def __init__(self, object_list: Any, per_page: int, *, activity: Activity) -> None:
        super().__init__(object_list, per_page)
        self.activity = activity

    def page(self, number: Any) -> Any:
        number = self.validate_number(number)
        start = (number - 1) * self.per_page
        return Page(self._rows(start, start + self.per_page), number, self)

    @cached_property
    def count(self) -> int:
        """For the numbers of pages; of very many customers PostgreSQL knows it but nearly."""
        return about_number_of(self.object_list)

    def _rows(self, start: int, end: int) -> Any:
        column = self._only_column
        if column in MOVING_FIRST:
            return self._joined(self._moving, self._moving_count, self._resting, start, end)
        if column in MOVING_LAST:
            return self._joined(self._resting, self._resting_count, self._moving, start, end)
        return self.object_list[start:end]

    @property
    def _only_column(self) -> Any:
        """What somebody sorts by, where that is one column; the list's own order follows it."""
        order = self.object_list.query.order_by
        chosen = order[: -len(WORST_FIRST)] if order[-len(WORST_FIRST) :] == WORST_FIRST else order
        if chosen in ((), WORST_FIRST):
            return WORST_FIRST[0]
        return chosen[0] if len(chosen) == 1 else None

    def _joined(
        self,
        leading: CustomerQuerySet,
        count: int,
        following: CustomerQuerySet,
        start: int,
        end: int,
    ) -> list[Any]:
        rows = list(leading[start:end]) if start < count else []
        if end > count and self.count > count:
            rows += following[max(0, start - count) : end - count]
        return rows

    @property
    def _moving(self) -> CustomerQuerySet:
        return self.object_list.moving(now=self.activity.now, since=self.activity.since)

    @property
    def _resting(self) -> CustomerQuerySet:
        resting = self.object_list.resting(now=self.activity.now, since=self.activity.since)
        return resting.order_by("key")

    @cached_property
    def _moving_count(self) -> int:
        return self._moving.order_by().count()

    @property
    def _resting_count(self) -> int:
        return number_of(self.object_list) - self._moving_count
