"""The app as a portal installs it, and a database that is asked anew by every test."""

from collections.abc import Iterator

import pytest
from django.apps import AppConfig

from doc_priority import observing
from doc_priority.contrib.prometheus.live import live
from doc_priority.contrib.prometheus.recording import recorder


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    AppConfig.create("doc_priority.contrib.prometheus").ready()
    live.forget()
    yield
    observing.unregister(recorder)
    live.forget()
