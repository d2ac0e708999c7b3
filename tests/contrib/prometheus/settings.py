"""A portal that has its metrics scraped."""

from tests.contrib.prometheus.scraped import TOKEN
from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as THEIRS

INSTALLED_APPS = [*THEIRS, "doc_priority.contrib.prometheus"]
DOC_PRIORITY_METRICS_TOKEN = TOKEN
