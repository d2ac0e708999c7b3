"""The site on a free port of this machine, in threads of this process."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer
from django.test.testcases import QuietWSGIRequestHandler


class Connection(QuietWSGIRequestHandler):
    """One that does not wait for more to send."""

    disable_nagle_algorithm = True


class Server(ThreadedWSGIServer):
    """One that hangs up when it closes, and waits until its threads have noticed."""

    daemon_threads = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.callers: list[socket.socket] = []
        super().__init__(*arguments, **options)

    def get_request(self) -> Any:
        caller, address = super().get_request()
        self.callers.append(caller)
        return caller, address

    def server_close(self) -> None:
        for caller in self.callers:
            with suppress(OSError):
                caller.shutdown(socket.SHUT_RDWR)
        super().server_close()


@contextmanager
def running_site() -> Iterator[str]:
    """Its address, without a slash at the end."""
    server = Server(("127.0.0.1", 0), Connection)
    server.set_app(WSGIHandler())
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
