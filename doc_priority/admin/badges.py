"""A priority as people see it: always its number, never its colour alone."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _


def badge(priority: int, *, pinned: bool = False, title: str = "") -> SafeString:
    """The number on its colour, and the word where it was set by hand; `title` says why."""
    number = format_html(
        '<span class="dp-badge dp-badge-{}" title="{}">{}</span>', priority, title, priority
    )
    if not pinned:
        return number
    return format_html('{} <span class="dp-note">{}</span>', number, _("pinned"))
