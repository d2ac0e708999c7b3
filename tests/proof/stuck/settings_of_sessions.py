"""Every session that begins has other settings for a while, in whichever thread."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections


@contextmanager
def sessions_with(**changes: Any) -> Iterator[None]:
    settings = connections.settings[DEFAULT_DB_ALIAS]
    usual = dict(settings)
    connection.close()
    settings.update(changes)
    try:
        yield
    finally:
        connection.close()
        settings.clear()
        settings.update(usual)


def options(**further: Any) -> dict[str, Any]:
    """The usual options of a session, and further ones."""
    return {**connections.settings[DEFAULT_DB_ALIAS]["OPTIONS"], **further}
