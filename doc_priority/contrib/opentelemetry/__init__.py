"""A span for every call of a service, in the traces that the portal keeps."""

from doc_priority.extras import require

require("opentelemetry", "opentelemetry")
