"""SQLite as a portal with several processes has to set it up."""

from collections.abc import Iterator

import pytest
from django.db import connection

WRITE_AHEAD_LOG = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"


@pytest.fixture(autouse=True)
def write_ahead_log(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With the rollback journal SQLite lets some writers wait for seconds while others pass."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict["OPTIONS"], "init_command", WRITE_AHEAD_LOG)
        yield
        connection.close()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode = DELETE")
