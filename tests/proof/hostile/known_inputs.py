"""What is known to have broken other APIs, row by row, with what we promise of each.

A NUL or a name that cannot be one is told apart (400) from a name that nobody has (404).
"""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from tests.api.attempts import Attempt, with_value
from tests.api.bad_inputs import ACCEPTS, BODIES, FORM, JSON, MANY
from tests.api.calls import CALLS
from tests.api.refusals import Refusals, make_acme
from tests.proof.hostile.scene import caller_of, empty_portal, superuser
from tests.proof.hostile.tried import Tried

RESET = ("POST", "customers/acme/reset/")
PIN = ("PUT", "customers/acme/pin/")
(PINNED,) = (call for call in CALLS if (call.method, call.route) == ("PUT", "pin"))
NAMED = ("PATCH", "customers/acme/")
INTERVAL = ("PATCH", "policies/gold/")
NO_PRIORITIES = (
    "1e400",
    "true",
    "[1]",
    "{}",
    "1.0",
    '"1.0"',
    '"\N{ARABIC-INDIC DIGIT ONE}"',
)
NO_PRIORITIES += ("9" * 4_000, "2147483648", "null", MANY)


class Row(NamedTuple):
    """An input, and the requests that carry it."""

    name: str
    attempts: tuple[Attempt, ...]


def _asked(address: str, *, status: int = 400) -> Attempt:
    return Attempt(address, "GET", address, status=status)


def _sent(to: tuple[str, str], body: bytes, *, status: int = 400, as_: str = JSON) -> Attempt:
    return Attempt(repr(body[:60]), *to, body, as_, status=status)


def _body(name: str) -> Attempt:
    bad = BODIES[name]
    return Attempt(name, *RESET, bad.body, bad.content_type, bad.headers, bad.status, says=bad.says)


def _bodies(*names: str) -> tuple[Attempt, ...]:
    return tuple(map(_body, names))


def _named(name: str) -> Attempt:
    return _sent(NAMED, b'{"name": "%s"}' % name.encode())


ROWS = (
    Row(
        "a lookup by a name with NUL",
        (_asked("policies/%00/"), _asked("policies/gold%00/"), _asked("customers/%00/")),
    ),
    Row("a lookup by a name that nobody has", (_asked("policies/nope/", status=404),)),
    Row("?limit= of 25 digits", (_asked(f"customers/?limit={MANY[:25]}"),)),
    Row("?limit=100000000", (_asked("customers/?limit=100000000"),)),
    Row("?search= with NUL", (_asked("customers/?search=%00"),)),
    Row("?search= of 2,000 terms", (_asked(f"customers/?search={'+'.join(['term'] * 2_000)}"),)),
    Row("?ordering= of an unknown column", (_asked("customers/?ordering=unknown"),)),
    Row("a body that is no object", _bodies("a list", "a text", "null", "true", "a number")),
    Row(
        "JSON nested 100,000 deep",
        (
            *_bodies("lists 30,000 deep", "lists 60,000 deep, cut off"),
            _sent(RESET, b"[" * 100_000 + b"]" * 100_000, status=413),
            _sent(("POST", "checks/"), b"[" * 100_000 + b"]" * 100_000),
        ),
    ),
    Row(
        "a number that is none, or does not fit",
        (
            *_bodies("NaN", "a number of 5,000 digits"),
            *(
                Attempt(one[:40], *PIN, with_value(PINNED, "priority", one), at="#/priority")
                for one in NO_PRIORITIES
            ),
        ),
    ),
    Row(
        "2^31 as a policy's interval",
        (_sent(INTERVAL, b'{"reset_interval": 2147483648, "reason": "r"}'),),
    ),
    Row(
        "NUL, or half a surrogate pair, in a text",
        (_named(r"a\u0000"), _named(r"a\ud800"), _body("a raw NUL in a text")),
    ),
    Row(
        "a name turned round, or with a space of no width", (_named(r"\u202ea"), _named(r"\u200ba"))
    ),
    Row("a member that stands twice", _bodies("a name twice", "a name twice, deeper")),
    Row(
        "bytes that are not UTF-8",
        _bodies("a byte that is not UTF-8", "UTF-16", "a byte order mark", "UTF-32", "Latin-1"),
    ),
    Row("a form", (_sent(RESET, b"reason=%ff", status=415, as_=FORM),)),
    Row("a bomb as charset", _bodies("a bomb as charset", "zlib as charset", "UTF-7 as charset")),
    Row("3 MB", _bodies("3 MB of blanks", "3 MB of text")),
    Row("more than 1,000 fields of a form", _bodies("a form of 2,000 fields")),
    Row(
        "a key or a document that cannot be one",
        (
            _asked(f"customers/{'x' * 256}/"),
            _asked("customers/%1B/"),
            _sent(("POST", "checks/"), b'{"items": [{"customer": ""}]}'),
            _sent(("POST", "customers/acme/check/"), b'{"document": "%s"}' % (b"d" * 256)),
            _sent(("POST", "customers/acme/check/"), rb'{"document": "a\u001b"}'),
            _sent(("POST", "customers/acme/check/"), b'{"document": ""}'),
        ),
    ),
    Row("?format=xyz", (_asked("customers/?format=xyz"),)),
    Row(
        "Accept without JSON",
        tuple(
            Attempt(repr(one[:40]), "GET", "customers/", headers={"Accept": one}, status=406)
            for one in ACCEPTS
        ),
    ),
    Row("XML", _bodies("XML")),
    Row("a lookup that is SQL", (_asked(f"customers/{quote(chr(39))}%20OR%201=1--/"),)),
    Row(
        "a column of the database as parameter",
        tuple(
            _asked(f"customers/?{name}=1")
            for name in ("_connector", "_negated", "counter__pending_documents", "key__regex")
        ),
    ),
)


def refused_row_by_row() -> Iterator[tuple[str, Tried]]:
    """What came of each row."""
    with empty_portal():
        make_acme()
        caller = caller_of(superuser())
        for row in ROWS:
            refusals = Refusals(caller)
            for attempt in row.attempts:
                refusals.attempt(attempt)
            tried = Tried("requests", refusals.sent, refusals.faults)
            tried.expect(refusals.did_nothing, f"{row.name}: something was stored")
            yield row.name, tried
