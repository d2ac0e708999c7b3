"""The site itself: Django's own server, a thread for each request, on this machine only."""

import errno
from collections.abc import Mapping

from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.management.base import CommandError
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application

HOST = "127.0.0.1"
DEFAULT_PORT = 8000
LAST_PORT = 65535


def port_from(environment: Mapping[str, str]) -> int:
    """The port asked for; 0 is any that is free."""
    text = environment.get("PORT") or str(DEFAULT_PORT)
    if not (text.isascii() and text.isdigit() and int(text) <= LAST_PORT):
        raise CommandError(f"PORT={text} is no port. Use a number up to {LAST_PORT}: {remedy()}")
    return int(text)


def remedy(port: int = DEFAULT_PORT) -> str:
    return f"PORT={port + 1 if port < LAST_PORT else DEFAULT_PORT} make demo"


def open_site(port: int) -> ThreadedWSGIServer:
    """Take the port; requests wait until the site is served."""
    try:
        return ThreadedWSGIServer((HOST, port), WSGIRequestHandler)
    except OSError as error:
        if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
            raise
        what = "taken by another program" if error.errno == errno.EADDRINUSE else "not allowed"
        raise CommandError(f"Port {port} is {what}. Choose another one: {remedy(port)}") from error


def serve(site: ThreadedWSGIServer) -> None:
    """Answer requests until the site is shut down."""
    site.set_app(StaticFilesHandler(get_wsgi_application()))
    site.serve_forever(poll_interval=0.1)
