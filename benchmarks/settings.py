"""Django's settings for the benchmark; a process makes one of the databases its default."""

import os
from typing import Any

from benchmarks.run import Run
from tests.settings import database

RUN = Run.current()


def bench_database(url: str, **options: Any) -> dict[str, Any]:
    """The run's own database on that server, opened once and kept."""
    settings = database(url)
    settings["OPTIONS"] |= options
    settings["TEST"]["NAME"] = RUN.name
    return settings | {"NAME": RUN.name, "CONN_MAX_AGE": None}


POSTGRESQL_URL = os.environ.get("DOC_PRIORITY_POSTGRESQL_URL") or (
    "postgres://postgres@127.0.0.1:5432/postgres"
)
MARIADB_URL = os.environ.get("DOC_PRIORITY_MARIADB_URL") or "mysql://root@127.0.0.1:3306/test"
SQLITE_FILE = f"{RUN.folder}/{RUN.name}.sqlite3"
SQLITE_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"

DATABASES: dict[str, Any] = {
    "default": {},
    "postgresql": bench_database(POSTGRESQL_URL, server_side_binding=False),
    "postgresql-prepared": bench_database(
        POSTGRESQL_URL, server_side_binding=True, prepare_threshold=5
    ),
    "mariadb": bench_database(MARIADB_URL),
    "sqlite": {
        **bench_database("sqlite://", init_command=SQLITE_PRAGMAS, timeout=2),
        "NAME": SQLITE_FILE,
        "TEST": {"NAME": SQLITE_FILE},
    },
}
CACHES: dict[str, Any] = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "database": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "bench_cache",
        # A full cache is emptied in part again and again; that is not what is measured.
        "OPTIONS": {"MAX_ENTRIES": 1_000_000},
    },
}
for kind, port in RUN.redis.items():
    CACHES[f"redis-{kind}"] = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": f"redis://127.0.0.1:{port}/1",
    }

INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "axes", "doc_priority"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SECRET_KEY = "only the benchmark uses this key"  # noqa: S105
DOC_PRIORITY = {"RECOVERY": "idle"}
ALLOWED_HOSTS = ["testserver"]
USE_TZ = True
LOGGING = {"version": 1, "loggers": {"axes": {"level": "ERROR"}}}

AXES_VERBOSE = False
AXES_FAILURE_LIMIT = 1_000_000_000
SILENCED_SYSTEM_CHECKS = ["axes.W002", "axes.W003"]
