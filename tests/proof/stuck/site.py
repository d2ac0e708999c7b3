"""The site, asked over HTTP by somebody who may do everything."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse

from django.contrib.auth.models import User
from knox.models import AuthToken

from doc_priority.api.problems import MEDIA_TYPE
from tests.server import running_site

PATIENCE = 60


@dataclass(frozen=True)
class Line:
    """One connection to the site; the site serves it in one thread, with one session."""

    connection: HTTPConnection
    token: str

    def ask(self, method: str, path: str, body: object) -> str:
        """The status; of a refusal also its code, and what its document lacks."""
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        self.connection.request(method, f"/api/v1/{path}", json.dumps(body), headers)
        answer = self.connection.getresponse()
        content = answer.read()
        return f"{answer.status}{_refusal(answer, content) if answer.status >= 400 else ''}"


@dataclass(frozen=True)
class Site:
    address: str
    token: str

    @contextmanager
    def line(self) -> Iterator[Line]:
        connection = HTTPConnection(self.address, timeout=PATIENCE)
        try:
            yield Line(connection, self.token)
        finally:
            connection.close()

    def ask(self, method: str, path: str, body: object) -> str:
        """On a line of its own."""
        with self.line() as line:
            return line.ask(method, path, body)


@contextmanager
def site() -> Iterator[Site]:
    user, _ = User.objects.get_or_create(username="root", is_superuser=True)
    token = AuthToken.objects.create(user)[1]
    with running_site() as address:
        running = Site(address.removeprefix("http://"), token)
        running.ask("GET", "stats/", None)  # the first request loads the portal
        yield running


def _refusal(answer: HTTPResponse, content: bytes) -> str:
    if answer.headers["Content-Type"] != MEDIA_TYPE:
        return " without a problem document"
    code = json.loads(content)["code"]
    passing = answer.status == 503
    if passing and int(answer.headers["Retry-After"] or 0) < 1:
        return f" {code} without Retry-After"
    return f" {code}"
