"""One after the other what a request leads to, and whether each was answered as it should."""

from http.client import HTTPConnection, HTTPException

from tests.proof.soak.people import People
from tests.proof.soak.requests import Request

PATIENCE = 30


def ask(port: int, people: People, request: Request) -> str:
    """What went wrong; empty if nothing did."""
    try:
        status, body = _exchange(port, people, request)
    except (OSError, HTTPException) as error:
        return f"{request.method} {request.address}: {error!r}"
    if status != request.status:
        return f"{request.method} {request.address}: {status} {body[:200]!r}"
    return ask(port, people, request.then(body.decode())) if request.then else ""


def _exchange(port: int, people: People, request: Request) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {**(people.staff if request.staff else people.client)}
    if request.body is not None:
        headers["Content-Type"] = request.content_type
    try:
        connection.request(request.method, request.address, request.content, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
