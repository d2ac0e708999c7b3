"""Pages of the live list."""

from typing import TYPE_CHECKING, Any

from django.core.paginator import Page, Paginator
from django.utils.functional import cached_property

from doc_priority.selectors import Activity, LiveList

if TYPE_CHECKING:
    BasePaginator = Paginator[Any]
else:
    BasePaginator = Paginator


class LivePaginator(BasePaginator):
    """Pages that take the same time however many customers are idle."""

    def __init__(self, object_list: Any, per_page: int, *, activity: Activity) -> None:
        super().__init__(object_list, per_page)
        self.live = LiveList(object_list, activity)

    @cached_property
    def count(self) -> int:
        return self.live.about_count

    def page(self, number: Any) -> Any:
        """Unlike Django's page, not cut off at the count, which may be an estimate."""
        number = self.validate_number(number)
        start = (number - 1) * self.per_page
        return Page(self.live.slice(start, start + self.per_page), number, self)
