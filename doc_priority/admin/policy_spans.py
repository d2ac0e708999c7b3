"""Spans of time as people read them."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

TENTH = timedelta(seconds=0.1)


def short(span: timedelta) -> str:
    """`25 min`, `1 h 30 min`: for a column."""
    templates = (_("%(count)s d"), _("%(count)s h"), _("%(count)s min"), _("%(count)s s"))
    return " ".join(_parts(zip(templates, _counts(span), strict=True)))


def in_words(span: timedelta) -> str:
    """`25 minutes`, `1 hour 30 minutes`: for a sentence."""
    days, hours, minutes, seconds = _counts(span)
    templates = (
        ngettext("%(count)s day", "%(count)s days", days),
        ngettext("%(count)s hour", "%(count)s hours", hours),
        ngettext("%(count)s minute", "%(count)s minutes", minutes),
        ngettext("%(count)s second", "%(count)s seconds", _plural_of(seconds)),
    )
    parts = list(_parts(zip(templates, (days, hours, minutes, seconds), strict=True)))
    if len(parts) < 2:
        return "".join(parts)
    # Translators: 1 hour and 30 minutes, where a language wants a word in between.
    template = _("%(larger)s %(smallest)s")
    return template % {"larger": " ".join(parts[:-1]), "smallest": parts[-1]}


def _counts(span: timedelta) -> tuple[int, int, int, float]:
    """Days, hours, minutes and seconds to the tenth: halving takes tenths of whole seconds."""
    minutes, tenths = divmod(span // TENTH, 600)
    hours, minutes = divmod(minutes, 60)
    return hours // 24, hours % 24, minutes, tenths / 10


def _plural_of(count: float) -> int:
    """A broken number is never one."""
    return int(count) if count == int(count) else 2


def _parts(counted: Iterable[tuple[str, float]]) -> Iterator[str]:
    return (template % {"count": _written(count)} for template, count in counted if count)


def _written(count: float) -> str:
    return number_format(count, decimal_pos=0 if count == int(count) else 1, force_grouping=True)
