"""What a soak must find: a site that keeps, forgets, fails and tires."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from threading import Event

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse

HEADER = "X-Harm"

_kept: list[bytes] = []
_forgotten: list[BaseDatabaseWrapper] = []


@dataclass(frozen=True)
class Harm:
    """What each request does to the worker that answers it."""

    kept: int
    """Bytes that stay."""
    tiring: float
    """Seconds by which each answer comes later than the one before."""
    every: int
    """One in so many is answered 500, and leaves a connection open."""

    @property
    def header(self) -> dict[str, str]:
        return {HEADER: json.dumps(asdict(self))}


class Planted:
    """Does the harm that a request asks for; to one that asks for none, nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if HEADER not in request.headers:
            return self._get_response(request)
        harm = Harm(**json.loads(request.headers[HEADER]))
        _kept.append(bytes([len(_kept) % 256]) * harm.kept)
        Event().wait(len(_kept) * harm.tiring)
        if len(_kept) % harm.every == 0:
            return _fail()
        return self._get_response(request)


def _fail() -> HttpResponse:
    _forgotten.append(connection.copy())
    _forgotten[-1].ensure_connection()
    return HttpResponse("Planted.", status=500)
