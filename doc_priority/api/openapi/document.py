"""The whole description, made of the endpoints; what is served is a copy checked in beside it."""

import json
from pathlib import Path
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings

from doc_priority import __version__
from doc_priority.api.problems import MEDIA_TYPE
from doc_priority.api.urls import urlpatterns

COPY = Path(__file__).with_name("openapi.json")

DESCRIPTION = """\
A priority from 1 (processed first) to 9 (last) for every document, by how much its customer has
sent lately.

- JSON in and out, in UTF-8. Times are UTC and end with `Z`.
- Errors are `application/problem+json` (RFC 9457) with a stable `code`; `errors` names each wrong
  value. That holds for every address below those named here, also for unknown ones (404) and wrong
  methods (405, with `Allow`).
- A name or parameter that is not known, or stands there twice, is an error (400).
- Lists come in pages: follow `next` until it is null.
- Live values have an ETag: send it as `If-None-Match`, and 304 says that nothing changed.
- A customer out of a user's reach answers like one that does not exist (404).
"""

SETTINGS: dict[str, Any] = {
    "COMPONENT_SPLIT_PATCH": False,
    "DESCRIPTION": DESCRIPTION,
    "OAS_VERSION": "3.1.1",
    "POSTPROCESSING_HOOKS": [],
    "PREPROCESSING_HOOKS": [],
    "SCHEMA_PATH_PREFIX": "/",
    "SECURITY": [],
    "SERVERS": [{"url": "/api/v1"}],
    "TAGS": [
        {"name": "checks", "description": "Many documents at once."},
        {"name": "customers", "description": "Customers, their documents and their counters."},
        {"name": "policies", "description": "Terms that customers can be given."},
        {"name": "stats", "description": "Numbers for a dashboard."},
    ],
    "TITLE": "Document priorities",
    "VERSION": __version__,
}


def document() -> dict[str, Any]:
    """The description as the code has it now; who may sign in how is the portal's to say."""
    with patched_settings(SETTINGS):
        generator = SchemaGenerator(patterns=urlpatterns)  # type: ignore[no-untyped-call]
        made: dict[str, Any] = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    made["components"].pop("securitySchemes", None)
    made["components"]["responses"] = {}
    for operations in made["paths"].values():
        for operation in operations.values():
            operation.pop("security", None)
            _share_problems(operation["responses"], made["components"]["responses"])
    return made


def _share_problems(responses: dict[str, Any], shared: dict[str, Any]) -> None:
    """Errors look the same wherever they come, so each is described once."""
    for status, response in responses.items():
        if MEDIA_TYPE in response.get("content", ()):
            name = f"Problem{status}"
            shared[name] = response
            responses[status] = {"$ref": f"#/components/responses/{name}"}


def as_text(made: dict[str, Any]) -> str:
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"
