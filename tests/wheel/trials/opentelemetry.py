"""The extra `opentelemetry`: silent with the API alone, spans with the portal's SDK."""

from tests.wheel.portal import Portal

SETTINGS = """
INSTALLED_APPS.append("doc_priority.contrib.opentelemetry")
"""

SPANS = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from doc_priority.services import check

kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
check("acme")
(span,) = kept.get_finished_spans()
assert span.name == "doc_priority.check", span.name
assert span.attributes["doc_priority.priority"] == 1, span.attributes
"""


def try_it(portal: Portal) -> None:
    portal.add_settings(SETTINGS)
    portal.manage("check")
    portal.manage("migrate", "--verbosity", "0")
    portal.manage("doc_priority", "check", "birch")
    portal.environment.install("opentelemetry-sdk")
    portal.shell(SPANS)
