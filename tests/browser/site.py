"""The site with its style sheets and scripts; it can go away, and comes back where it was."""

from collections.abc import Callable
from threading import Thread

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.test import override_settings

from tests.server import Connection, Server


class StrictPolicy:
    """What a careful portal allows every page that does not say itself what it needs."""

    policy = "default-src 'self'"

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy)
        return response


class Site:
    """On a free port of this machine, in threads of this process."""

    def __init__(self) -> None:
        self._port = 0

    @property
    def address(self) -> str:
        """Without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        # django-unfold itself cannot live with a strict policy.
        strict = [] if apps.is_installed("unfold") else [f"{__name__}.StrictPolicy"]
        with override_settings(MIDDLEWARE=[*strict, *settings.MIDDLEWARE]):
            handler = StaticFilesHandler(WSGIHandler())
        self._server = Server(("127.0.0.1", self._port), Connection)
        self._server.set_app(handler)
        self._port = self._server.server_port
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
