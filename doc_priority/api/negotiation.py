"""Which JSON somebody accepts: there is one, whatever the address says of formats."""

from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request

PLAIN = frozenset({"", "*/*", "application/json"})


class JSONNegotiation(DefaultContentNegotiation):
    """As usual, but a body says that it is JSON, and a parameter `format` is one nobody knows."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        named = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == named), None)

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> Any:
        if request.META.get("HTTP_ACCEPT", "") in PLAIN:
            return renderers[0], renderers[0].media_type
        # With a format of our own nobody looks for one among the parameters.
        return super().select_renderer(request, renderers, renderers[0].format)
