"""The services over HTTP: include `doc_priority.api.urls` in the portal's addresses."""

from doc_priority.extras import require

require("api", "rest_framework", "drf_spectacular", "drf_spectacular_sidecar")
