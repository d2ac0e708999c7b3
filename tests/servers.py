"""The database servers the tests use, and whether they can be reached."""

import os
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured
from django.db.utils import ConnectionHandler, DatabaseError

from tests.settings import database


@dataclass(frozen=True)
class Server:
    name: str
    variable: str
    default_url: str
    crowds_count: bool
    """Whether crowds and queues reach lines on it that nothing else reaches."""
    front_differs: bool
    """Whether admin and REST do anything on it that they do on no other database."""

    @property
    def url(self) -> str:
        return os.environ.get(self.variable) or self.default_url

    def obstacle(self) -> str:
        """Why it cannot be used; empty if it can."""
        settings = database(self.url)
        # Without a name Django connects to the server itself, as it does to make the test database.
        settings["NAME"] = None
        settings["OPTIONS"]["connect_timeout"] = 5
        try:
            connection = ConnectionHandler({"default": settings})["default"]
            with connection.wrap_database_errors:
                connection.get_new_connection(connection.get_connection_params()).close()
        except ImproperlyConfigured:
            return "its driver is not installed"
        except DatabaseError as error:
            return " ".join(str(error).split())
        return ""


POSTGRESQL = Server(
    "PostgreSQL",
    "DOC_PRIORITY_POSTGRESQL_URL",
    "postgres://postgres@127.0.0.1:5432/postgres",
    crowds_count=True,
    front_differs=True,
)
MARIADB = Server(
    "MariaDB",
    "DOC_PRIORITY_MARIADB_URL",
    "mysql://root@127.0.0.1:3306/test",
    crowds_count=False,
    front_differs=False,
)
SERVERS = (POSTGRESQL, MARIADB)
