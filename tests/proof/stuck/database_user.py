"""A user of the server who may not do everything, for a while."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from tests.sessions import another_session

PASSWORD = "stuck"

MAKE = {
    "postgresql": (
        "CREATE ROLE {user} LOGIN PASSWORD '{password}' CONNECTION LIMIT {sessions}",
        "GRANT {rights} ON ALL TABLES IN SCHEMA public TO {user}",
        "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {user}",
    ),
    "mysql": (
        "CREATE USER {user} IDENTIFIED BY '{password}' WITH MAX_USER_CONNECTIONS {sessions}",
        "GRANT {rights} ON {database}.* TO {user}",
    ),
}
DROP = {
    "postgresql": ("DROP OWNED BY {user}", "DROP ROLE {user}"),
    "mysql": ("DROP USER {user}",),
}


@contextmanager
def database_user(*, rights: str = "ALL", sessions: int = 100) -> Iterator[dict[str, str]]:
    """The settings of his sessions."""
    user = f"stuck_{os.getpid()}"
    words = {
        "user": user,
        "password": PASSWORD,
        "sessions": sessions,
        "rights": rights,
        "database": connection.settings_dict["NAME"],
    }
    with another_session() as administrator, administrator.cursor() as cursor:
        vendor = administrator.vendor
        cursor.execute(MAKE[vendor][0].format(**words))
        try:
            for statement in MAKE[vendor][1:]:
                cursor.execute(statement.format(**words))
            yield {"USER": user, "PASSWORD": PASSWORD}
        finally:
            for statement in DROP[vendor]:
                cursor.execute(statement.format(**words))
