"""Django's settings for the REST benchmark; a server process has one of the databases only."""

import os
from typing import Any

from benchmarks.run import DATABASE_VARIABLE, EACH_TIME_VARIABLE
from benchmarks.settings import DATABASES as ALL_DATABASES
from benchmarks.settings import DEFAULT_AUTO_FIELD, DOC_PRIORITY, SECRET_KEY, USE_TZ

__all__ = ["DATABASES", "DEFAULT_AUTO_FIELD", "DOC_PRIORITY", "SECRET_KEY", "USE_TZ"]

DATABASES: dict[str, Any] = ALL_DATABASES
if only := os.environ.get(DATABASE_VARIABLE):
    DATABASES = {"default": {**ALL_DATABASES[only]}}
    if EACH_TIME_VARIABLE in os.environ:
        DATABASES["default"]["CONN_MAX_AGE"] = 0

DEBUG = False
TIME_ZONE = "UTC"
ALLOWED_HOSTS = ["127.0.0.1", "testserver"]
ROOT_URLCONF = "benchmarks.rest_contenders"
MIDDLEWARE: list[str] = []
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "knox",
    "doc_priority",
]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["knox.auth.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
}
