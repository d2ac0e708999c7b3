"""The app as a portal installs it; every test reads the database again."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps import AppConfig
from django.test import Client
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families

from doc_priority import observing
from doc_priority.contrib.prometheus import metrics
from doc_priority.contrib.prometheus.live import LIVE, live
from doc_priority.contrib.prometheus.metrics import recorder

TOKEN = "only-the-tests-use-this-token"
SIGNED = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(autouse=True)
def installed(settings: Any) -> Iterator[None]:
    settings.DOC_PRIORITY_METRICS_TOKEN = TOKEN
    AppConfig.create("doc_priority.contrib.prometheus").ready()
    live.expire()
    yield
    observing.unregister(recorder)
    live.expire()


def scrape() -> str:
    return Client().get("/metrics/", headers=SIGNED).content.decode()


def values_of(text: str) -> Callable[..., float]:
    """The value of a sample by its name and labels; 0 without a sample."""
    found = {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    return lambda name, **labels: found.get((f"doc_priority_{name}", frozenset(labels.items())), 0)


def metrics_by_name() -> dict[str, tuple[str, tuple[str, ...], str]]:
    """Kind, labels and documentation of each metric."""
    recorded = [one for one in vars(metrics).values() if isinstance(one, MetricWrapperBase)]
    found = {}
    for metric in (*recorded, *(family() for family in LIVE)):
        (described,) = metric.describe() if metric in recorded else [metric]
        name = described.name + ("_total" if described.type == "counter" else "")
        found[name] = (described.type, tuple(metric._labelnames), described.documentation)
    return found
