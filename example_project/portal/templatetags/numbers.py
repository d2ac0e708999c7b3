"""Numbers as in print."""

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def in_print(number: int) -> str:
    """Grouped, and with a minus: screen readers pass over a hyphen."""
    return number_format(number).replace("-", "−")
