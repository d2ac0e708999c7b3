"""Django's settings for the tests; DATABASE_URL picks the database."""

import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from zlib import crc32

BASE_DIR = Path(__file__).resolve().parent.parent

# Each checkout has test databases of its own, so that two of them can be tested at once.
TEST_NAME = f"test_doc_priority_{crc32(str(BASE_DIR).encode()):08x}"
TEST_NAME += os.environ.get("TEST_NAME_SUFFIX", "")


def sqlite(url: SplitResult) -> dict[str, Any]:
    """A file, not memory: threads and processes of a test share it."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": unquote(url.path.removeprefix("/")) or ":memory:",
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL",
        },
        "TEST": {"NAME": str(Path(tempfile.gettempdir(), f"{TEST_NAME}.sqlite3"))},
    }


def postgresql(url: SplitResult) -> dict[str, Any]:
    server_side_binding = os.environ.get("DATABASE_OPTIONS_SERVER_SIDE_BINDING") == "1"
    return {
        "ENGINE": "django.db.backends.postgresql",
        "OPTIONS": {"server_side_binding": server_side_binding},
        "TEST": {"NAME": TEST_NAME},
        **server(url),
    }


def mariadb(url: SplitResult) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.mysql",
        "OPTIONS": {
            "charset": "utf8mb4",
            "init_command": "SET sql_mode = 'STRICT_TRANS_TABLES'",
        },
        "TEST": {"NAME": TEST_NAME, "CHARSET": "utf8mb4"},
        **server(url),
    }


def server(url: SplitResult) -> dict[str, Any]:
    return {
        "NAME": unquote(url.path.removeprefix("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": url.hostname or "",
        "PORT": url.port or "",
        "CONN_MAX_AGE": 60,
    }


def database(text: str) -> dict[str, Any]:
    """`sqlite://`, `sqlite:////a/file`, `postgres://user:password@host:port/name`, `mysql://…`."""
    url = urlsplit(text)
    parsers = {"sqlite": sqlite, "postgres": postgresql, "mysql": mariadb}
    if url.scheme not in parsers:
        known = ", ".join(f"{scheme}://…" for scheme in parsers)
        raise ValueError(f"{text!r} is no address of a database; those are {known}")
    parsed = parsers[url.scheme](url)
    parsed["OPTIONS"] |= dict(parse_qsl(url.query))
    return parsed


DATABASES = {"default": database(os.environ.get("DATABASE_URL") or "sqlite://")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

SECRET_KEY = "only the tests use this key"
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
ROOT_URLCONF = "tests.urls"
STATIC_URL = "static/"
LANGUAGE_CODE = "en"
TIME_ZONE = "Europe/Berlin"
USE_TZ = os.environ.get("USE_TZ", "1") != "0"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# The backport of Django tasks, which Django has from 6.0.
TASKS_FRAMEWORK = [] if find_spec("django.tasks") else ["django_tasks"]
ON_POSTGRESQL = DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"
POSTGRESQL_ONLY = [
    "procrastinate.contrib.django",
    "doc_priority.contrib.procrastinate",
]

INSTALLED_APPS = [
    # Before Django's admin, some of whose words its own catalogues leave in English.
    "doc_priority",
    "example_project.portal",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "doc_priority.contrib.tasks",
    "django_tasks_db",
    *TASKS_FRAMEWORK,
    *(POSTGRESQL_ONLY if ON_POSTGRESQL else ()),
]
PROCRASTINATE_IMPORT_PATHS = ["tests.contrib.procrastinate.portal"]
TASKS = {
    "default": {
        "BACKEND": "doc_priority.contrib.tasks.PriorityDatabaseBackend",
        "QUEUES": ["default", "documents"],
        "OPTIONS": {
            "prioritize": {
                "example_project.portal.tasks.process": {
                    "customer": "client_key",
                    "document": "reference",
                },
                "tests.contrib.tasks.portal.process": {
                    "customer": "customer_key",
                    "document": "document_id",
                },
                "tests.contrib.tasks.portal.hang_once": {
                    "customer": "customer_key",
                    "document": "document_id",
                },
                "tests.contrib.tasks.portal.count": {"customer": "customer_key"},
                "tests.contrib.tasks.portal.process_with_context": {
                    "customer": "customer_key",
                    "document": "document_id",
                },
            }
        },
    },
    # The same engine without the adapter.
    "plain": {
        "BACKEND": "django_tasks_db.DatabaseBackend",
        "QUEUES": ["default", "documents"],
    },
    "immediate": {
        "BACKEND": ".".join([*(TASKS_FRAMEWORK or ["django.tasks"]), "backends.immediate"])
        + ".ImmediateBackend",
    },
}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "example_project.portal.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
}
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
