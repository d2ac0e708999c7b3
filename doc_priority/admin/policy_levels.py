"""The nine levels of a policy: which counts stand at which priority."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from doc_priority.admin.badges import badge
from doc_priority.numerals import numeral
from doc_priority.types import BEST_PRIORITY, FLOOR


class Level(NamedTuple):
    """The counts of one priority; the last one has no lowest."""

    priority: int
    highest: int
    lowest: int | None

    @property
    def badge(self) -> SafeString:
        return badge(self.priority)

    @property
    def pending_documents(self) -> str:
        """`0 to −2`, `−21 and below`."""
        if self.highest < FLOOR:
            return _("never: the counter stops at %(floor)s") % {"floor": numeral(FLOOR)}
        if self.lowest is None:
            return _("%(count)s and below") % {"count": numeral(self.highest)}
        return _range(numeral(self.highest), numeral(self.lowest))

    @property
    def documents(self) -> str:
        """Which of many documents sent at once get it; the first leaves the counter at 0."""
        if self.highest < FLOOR:
            return _("none")
        if self.lowest is None:
            return _("%(count)s and after") % {"count": numeral(1 - self.highest)}
        return _range(numeral(1 - self.highest), numeral(1 - self.lowest))


def levels_of(thresholds: Sequence[int]) -> list[Level]:
    highest = [0, *(threshold - 1 for threshold in thresholds)]
    lowest = [*thresholds, None]
    return [
        Level(priority, *counts)
        for priority, counts in enumerate(zip(highest, lowest, strict=True), start=BEST_PRIORITY)
    ]


def _range(first: str, last: str) -> str:
    if first == last:
        return first
    return _("%(first)s to %(last)s") % {"first": first, "last": last}
