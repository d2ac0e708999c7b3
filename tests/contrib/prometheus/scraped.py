"""Metrics as a scraper reads them."""

from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

TOKEN = "only-the-tests-use-this-token"
ADDRESS = "/metrics/"
SIGNED = {"Authorization": f"Bearer {TOKEN}"}

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples() -> Samples:
    """All samples of ours, by name and labels."""
    return read(Client().get(ADDRESS, headers=SIGNED).content.decode())


def read(text: str) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("doc_priority_")
    }


def value(found: Samples, name: str, **labels: str) -> float:
    """0 for what has not been counted yet, as a rate takes it."""
    return found.get((name, frozenset(labels.items())), 0)
