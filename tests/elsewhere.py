"""This process's connection leads elsewhere for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections


@contextmanager
def connection_elsewhere(**settings: Any) -> Iterator[None]:
    """With these settings instead of the usual ones: `HOST`, `PORT` and what else differs."""
    wrapper = connections[DEFAULT_DB_ALIAS]
    usual = wrapper.settings_dict
    connection.close()
    wrapper.settings_dict = {**usual, **settings}
    try:
        yield
    finally:
        connection.close()
        wrapper.settings_dict = usual
