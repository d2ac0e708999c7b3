"""What the page on errors takes for granted: the portal's log, and its way to come back."""

import logging

logger = logging.getLogger("portal")


def try_later(customer: str, document: str) -> None:
    """The portal's own."""
