"""Django's settings for the example portal, as `python -m example_project.demo` runs it."""

import os
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

from example_project import storage

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = False
SECRET_KEY = storage.secret_key()
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]

INSTALLED_APPS = [
    "doc_priority",
    "example_project.portal",
    "example_project.demo",
    "rest_framework",
    "knox",
    "doc_priority.contrib.tasks",
    "django_tasks_db",
    *([] if find_spec("django.tasks") else ["django_tasks"]),  # Django before 6.0
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
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
ROOT_URLCONF = "example_project.urls"
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

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": storage.DATABASE,
        # Readers go on while somebody writes; writers wait for their turn instead of failing.
        "OPTIONS": {
            "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Español"), ("pl", "Polski")]
LANGUAGES += [("pt", "Português"), ("de", "Deutsch")]
USE_THOUSAND_SEPARATOR = True
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"

LOGIN_URL = "portal:login"
LOGIN_REDIRECT_URL = "portal:start"
LOGOUT_REDIRECT_URL = "portal:start"

# Cookies know no port: without names of their own they would sign people out of other local sites.
SESSION_COOKIE_NAME = "example_portal_session"
CSRF_COOKIE_NAME = "example_portal_csrf"
LANGUAGE_COOKIE_NAME = "example_portal_language"

DATA_UPLOAD_MAX_NUMBER_FILES = 1000

DOC_PRIORITY = {"API_CUSTOMERS": "example_project.portal.authentication.customers_of"}

# What processes the documents: tasks (Django tasks, in the database) or celery (Celery on Redis).
ENGINE = os.environ.get("ENGINE") or "tasks"
# Without Celery nobody imports example_project.celery, and here nobody should.
SILENCED_SYSTEM_CHECKS = [] if ENGINE == "celery" else ["doc_priority.W028"]
PORTAL_SECONDS_PER_DOCUMENT = 0.17

TASKS = {
    "default": {
        "BACKEND": "doc_priority.contrib.tasks.PriorityDatabaseBackend",
        "OPTIONS": {
            "prioritize": {
                "example_project.portal.tasks.process": {
                    "customer": "client_key",
                    "document": "reference",
                }
            }
        },
    }
}

REST_FRAMEWORK = {
    # The first one answers a stranger: 401, and that a token is asked for. With the second one
    # whoever is signed in to the portal can try the calls on the API's own page.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "example_project.portal.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "doc_priority.api.exceptions.problem_response",
    # No proxy stands before the demo, so what X-Forwarded-For says is made up.
    "NUM_PROXIES": 0,
}
REST_KNOX = {"TOKEN_TTL": timedelta(hours=10), "TOKEN_LIMIT_PER_USER": 100}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {
        "console": {"class": "logging.StreamHandler"},
        # The worker's command sets its loggers to say something about every task.
        "warnings": {"class": "logging.StreamHandler", "level": "WARNING"},
    },
    "root": {"handlers": ["warnings"]},
    "loggers": {
        "django": {"level": "ERROR"},
        "django.server": {"level": "ERROR", "propagate": True},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "example_project": {"handlers": ["console"], "level": "INFO", "propagate": False},
    },
}
