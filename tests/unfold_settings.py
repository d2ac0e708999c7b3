"""Django's settings for the tests of the admin under django-unfold.

Which class the admin's pages are built on is decided at import, so these tests need a process of
their own: `python -m pytest --ds=tests.unfold_settings tests/browser`.
"""

from tests.settings import *  # noqa: F403  # all of them, but for the list below
from tests.settings import INSTALLED_APPS as PLAIN_APPS

INSTALLED_APPS = ["unfold", *PLAIN_APPS]
