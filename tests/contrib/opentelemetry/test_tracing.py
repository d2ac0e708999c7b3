"""The spans that a portal's exporter gets."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.apps import AppConfig
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from doc_priority import observing, services
from doc_priority.contrib.opentelemetry.tracing import tracing
from doc_priority.exceptions import CounterBusy, CustomerNotFound
from tests.databases import HOLD_COUNTERS, open_transaction

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """A process has one provider, which the portal may set at any time."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.fixture(autouse=True)
def installed(exporter: InMemorySpanExporter) -> Iterator[None]:
    AppConfig.create("doc_priority.contrib.opentelemetry").ready()
    exporter.clear()
    yield
    observing.unregister(tracing)


def test_checks(exporter: InMemorySpanExporter) -> None:
    services.check("acme")
    (span,) = exporter.get_finished_spans()
    assert span.name == "doc_priority.check"
    told = ("documents", "repeated", "result", "priority", "pinned")
    names = [f"doc_priority.{name}" for name in told]
    assert dict(span.attributes or {}) == dict(zip(names, (1, 0, "first", 1, False), strict=True))
    services.pin("acme", priority=5, until=datetime.now(UTC) + timedelta(hours=1))
    services.check("acme", document="INV-1")
    services.check("acme", document="INV-1")
    *_, span = exporter.get_finished_spans()
    assert dict(span.attributes or {}) == dict(zip(names, (1, 1, "repeated", 5, True), strict=True))
    services.check_many([("acme", "INV-1"), ("acme", "INV-2"), ("other", "INV-1")])
    *_, span = exporter.get_finished_spans()
    assert span.name == "doc_priority.check_many"
    assert dict(span.attributes or {}) == {"doc_priority.documents": 3, "doc_priority.repeated": 1}
    # Other services under their names
    exporter.clear()
    services.reset("acme")
    services.pin("acme", priority=5, until=datetime.now(UTC) + timedelta(hours=1))
    services.unpin("acme")
    services.peek("acme")
    services.forget("acme")
    names = [span.name.removeprefix("doc_priority.") for span in exporter.get_finished_spans()]
    assert names == ["reset", "pin", "unpin", "peek", "forget"]


def test_an_error_and_no_name_of_a_person(exporter: InMemorySpanExporter) -> None:
    services.create_customer("very-special", name="very-special")
    services.check("very-special", document="very-special")
    services.reset("very-special", actor="very-special", reason="very-special")
    with pytest.raises(CustomerNotFound):
        services.reset("very-special-too")
    assert "very-special" not in "".join(one.to_json() for one in exporter.get_finished_spans())
    exporter.clear()
    with pytest.raises(CustomerNotFound):
        services.reset("nobody")
    (span,) = exporter.get_finished_spans()
    assert (span.status.status_code, span.status.description) == (
        StatusCode.ERROR,
        "customer_not_found",
    )
    assert dict(span.attributes or {}) == {"error.type": "customer_not_found"}


def test_it_lasts_as_long_as_the_call(settings: Any, exporter: InMemorySpanExporter) -> None:
    """The span includes the wait for the counter."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 200}
    services.check("acme")
    exporter.clear()
    began = time.time_ns()
    with open_transaction(HOLD_COUNTERS), pytest.raises(CounterBusy):
        services.check("acme")
    (span,) = exporter.get_finished_spans()
    assert span.start_time is not None
    assert span.end_time is not None
    assert began <= span.start_time
    assert span.end_time <= time.time_ns()
    assert span.end_time - span.start_time >= 0.18 * 10**9
    # It is part of the caller's trace.
    exporter.clear()
    with trace.get_tracer("portal").start_as_current_span("upload") as upload:
        services.check("acme")
        assert trace.get_current_span() is upload
    check, outer = exporter.get_finished_spans()
    assert check.parent is not None
    assert check.parent.span_id == upload.get_span_context().span_id
    assert outer.name == "upload"
