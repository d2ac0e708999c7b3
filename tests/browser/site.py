"""The site with its style sheets and scripts; it can go away, and comes back where it was."""

from collections.abc import Callable
from threading import Thread

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.handlers.wsgi import WSGIHandler
from django.test import override_settings

from tests.server import Connection, Server

STRICT = "tests.browser.strict_policy.StrictPolicy"


def strict_handler() -> WSGIHandler:
    """Under a strict policy, unless the theme itself cannot live with one."""
    strict = [] if apps.is_installed("unfold") else [STRICT]
    with override_settings(MIDDLEWARE=[*strict, *settings.MIDDLEWARE]):
        return WSGIHandler()


class Site:
    """On a free port of this machine, in threads of this process."""

    def __init__(self, handler: Callable[[], WSGIHandler] = strict_handler) -> None:
        self._handler = handler
        self._port = 0

    @property
    def address(self) -> str:
        """Without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._server = Server(("127.0.0.1", self._port), Connection)
        self._server.set_app(StaticFilesHandler(self._handler()))
        self._port = self._server.server_port
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
