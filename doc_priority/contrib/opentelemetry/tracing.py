"""The observer that makes a span of every call of a service."""

from contextvars import Token

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, StatusCode, Tracer

from doc_priority import __version__
from doc_priority.observing import Call, Observer, Result


class TracingObserver(Observer):
    """Spans are named after the service, such as `doc_priority.check`; none names a customer."""

    def __init__(self) -> None:
        self._tracer: Tracer = trace.get_tracer("doc_priority", __version__)

    def began(self, service: str) -> tuple[Span, Token[Context]]:
        """A span that is current until its call ends."""
        span = self._tracer.start_span(f"doc_priority.{service}")
        return span, context.attach(trace.set_span_in_context(span))

    def ended(self, call: Call, begun: tuple[Span, Token[Context]]) -> None:
        """A single check has its result and priority; many checks have their numbers only."""
        span, before = begun
        context.detach(before)
        if call.error:
            span.set_attribute("error.type", call.error)
            span.set_status(StatusCode.ERROR, call.error)
        if call.checks:
            repeated = [
                n for checked, n in call.checks.items() if checked.result == Result.REPEATED
            ]
            span.set_attribute("doc_priority.documents", sum(call.checks.values()))
            span.set_attribute("doc_priority.repeated", sum(repeated))
        if call.service == "check" and call.checks:
            (checked,) = call.checks
            span.set_attribute("doc_priority.result", str(checked.result))
            span.set_attribute("doc_priority.priority", checked.priority)
            span.set_attribute("doc_priority.pinned", checked.pinned)
        span.end()


tracing = TracingObserver()
"""The one of this process."""
