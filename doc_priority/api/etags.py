"""Live values that did not change are not sent again."""

import hashlib
from typing import Any

from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response

from doc_priority.api.renderers import as_json


def conditional(request: Request, data: Any, *, values: Any = None) -> Response:
    """The data with the ETag of its values, or 304 if the caller has just them.

    All the data are values if nothing else is said.
    """
    told = data if values is None else values
    etag = f'"{hashlib.sha256(as_json(told)).hexdigest()[:32]}"'
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    same = "*" in known or etag in {tag.removeprefix("W/") for tag in known}
    response = Response(status=304) if same else Response(data)
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Accept-Language", "Authorization", "Cookie"])
    return response
