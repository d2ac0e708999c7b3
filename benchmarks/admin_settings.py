"""Django's settings for the admin benchmark: of each server a small and a large database."""

from typing import Any

from benchmarks.settings import DATABASES as ALL_DATABASES
from benchmarks.settings import DEFAULT_AUTO_FIELD, SECRET_KEY, USE_TZ

__all__ = ["DATABASES", "DEFAULT_AUTO_FIELD", "SECRET_KEY", "USE_TZ"]

SERVERS = ("postgresql", "mariadb", "sqlite")
LARGE = "large"


def of_size(settings: dict[str, Any], size: str) -> dict[str, Any]:
    """The same server, with a database of its own."""
    name = settings["NAME"].replace(".sqlite3", "") + f"_{size}"
    if settings["NAME"].endswith(".sqlite3"):
        name += ".sqlite3"
    return {**settings, "NAME": name, "TEST": {**settings["TEST"], "NAME": name}}


DATABASES: dict[str, Any] = {"default": {}}
for server in SERVERS:
    DATABASES[server] = ALL_DATABASES[server]
    DATABASES[f"{server}-{LARGE}"] = of_size(ALL_DATABASES[server], LARGE)

DEBUG = False
TIME_ZONE = "UTC"
ALLOWED_HOSTS = ["testserver"]
ROOT_URLCONF = "benchmarks.admin_urls"
STATIC_URL = "static/"
# Who signed in is looked for in the database at every request; the session is not.
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
INSTALLED_APPS = [
    "doc_priority",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
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
