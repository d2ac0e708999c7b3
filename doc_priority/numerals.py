"""How a number is written for people."""

from django.utils.formats import number_format

MINUS = "−"
"""The one of print: screen readers pass over a hyphen."""


def numeral(number: int) -> str:
    """`−1,234,567`: grouped as the active language does it, whatever else the portal groups."""
    return number_format(number, force_grouping=True).replace("-", MINUS)
