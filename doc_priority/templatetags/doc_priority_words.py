"""What the templates of our lists say otherwise than Django's, whatever theme they come from."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as djangos

register = template.Library()


def reworded(html: str, words: Mapping[str, str]) -> SafeString:
    """The page with ours in place of theirs; what it does not say stays away."""
    for theirs, ours in words.items():
        html = html.replace(escape(theirs), escape(ours))
    return SafeString(html)  # nosec B703 - a template's own page, and what takes a place is escaped


@register.filter
def with_a_word_for_the_picture(html: str) -> SafeString:
    """The field for a search: Django has `Search` beside it, in English only."""
    said = html.replace('alt="Search"', format_html('alt="{}"', djangos("Search")))
    return SafeString(said)  # nosec B703 - the same


@register.filter
def with_the_title(html: str, model_admin: Any) -> SafeString:
    """The link to the form for a new one, which says what the form has for a title."""
    theirs = djangos("Add %(name)s") % {"name": model_admin.opts.verbose_name}
    return reworded(html, {theirs: str(model_admin.new_title)})
