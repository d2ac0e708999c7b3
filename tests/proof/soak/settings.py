"""The site that is soaked: the tests' own, as a portal would serve it."""

from typing import Any

from tests import settings as of_tests

globals().update({name: getattr(of_tests, name) for name in dir(of_tests) if name.isupper()})

SITE = "soaked"
"""By this name the server knows its connections from those of a vacuum and of the suite."""

DEBUG = False
DATABASES: dict[str, Any] = {
    "default": {
        **of_tests.DATABASES["default"],
        "CONN_MAX_AGE": None,
        "OPTIONS": {**of_tests.DATABASES["default"]["OPTIONS"], "application_name": SITE},
    }
}
MIDDLEWARE = ["tests.proof.soak.planted.Planted", *of_tests.MIDDLEWARE]
