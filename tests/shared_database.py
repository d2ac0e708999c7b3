"""How another process finds the database of this test."""

import os
from urllib.parse import quote, urlencode, urlsplit

from django.db import connection


def url_of_the_test_database(**options: str) -> str:
    """Its DATABASE_URL, with further options of the connection."""
    return url_of_database(str(connection.settings_dict["NAME"]), **options)


def url_of_database(name: str, **options: str) -> str:
    """The DATABASE_URL of another one, beside the one of this test."""
    if connection.vendor == "sqlite":
        options = {"init_command": connection.settings_dict["OPTIONS"]["init_command"], **options}
        return f"sqlite:///{quote(name)}?{urlencode(options)}"
    server = urlsplit(os.environ["DATABASE_URL"])
    return server._replace(path=f"/{quote(name)}", query=urlencode(options)).geturl()


def environment_of_the_test_database(**options: str) -> dict[str, str]:
    """What a process needs that is to use it as this one does."""
    return {**os.environ, "DATABASE_URL": url_of_the_test_database(**options)}
