"""The observer that makes a span of every call of a service."""

from collections.abc import Iterator
from contextvars import Token
from typing import NamedTuple

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue

from doc_priority import __version__
from doc_priority.observing import Call, Observer, Result


class Begun(NamedTuple):
    """A span that is current until its call ends."""

    span: Span
    before: Token[Context]


class TracingObserver(Observer):
    """Spans are named after the service, such as `doc_priority.check`; none names a customer."""

    def __init__(self) -> None:
        self._tracer: Tracer = trace.get_tracer("doc_priority", __version__)

    def began(self, service: str) -> Begun:
        span = self._tracer.start_span(f"doc_priority.{service}")
        return Begun(span, context.attach(trace.set_span_in_context(span)))

    def ended(self, call: Call, begun: Begun) -> None:
        context.detach(begun.before)
        begun.span.set_attributes(dict(_attributes(call)))
        if call.error:
            begun.span.set_status(StatusCode.ERROR, call.error)
        begun.span.end()


def _attributes(call: Call) -> Iterator[tuple[str, AttributeValue]]:
    """A single check has its result and priority; many checks have their numbers only."""
    if call.error:
        yield "error.type", call.error
    documents = sum(call.checks.values())
    if documents:
        yield "doc_priority.documents", documents
        repeated = (n for checked, n in call.checks.items() if checked.result == Result.REPEATED)
        yield "doc_priority.repeated", sum(repeated)
    if call.service == "check" and call.checks:
        (checked,) = call.checks
        yield "doc_priority.result", str(checked.result)
        yield "doc_priority.priority", checked.priority
        yield "doc_priority.pinned", checked.pinned


tracing = TracingObserver()
"""The one of this process."""
