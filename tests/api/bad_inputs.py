"""What people, programs and attackers send that no call takes."""

import gzip
from dataclasses import dataclass, field

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MANY = "10000000000000000000000000"
"""A number of 26 digits."""


@dataclass(frozen=True, slots=True)
class BadBody:
    """A body that is wrong whatever the call; `says` is part of the message."""

    body: bytes
    says: str
    status: int = 400
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)


def charset(name: str, body: bytes = b"{}") -> BadBody:
    return BadBody(body, "charset", 415, f"{JSON}; charset={name}")


def encoded(name: str, body: bytes = b"{}") -> BadBody:
    return BadBody(body, "content encoding", 415, headers={"Content-Encoding": name})


def media(content_type: str, body: bytes = b"{}") -> BadBody:
    return BadBody(body, "media type", 415, content_type)


BODIES = {
    "cut off": BadBody(b'{"reason": "x"', "not JSON"),
    "a stray bracket": BadBody(b"{]", "not JSON"),
    "single quotes": BadBody(b"{'reason': 'x'}", "not JSON"),
    "a trailing comma": BadBody(b'{"reason": "x",}', "not JSON"),
    "a comment": BadBody(b"{} // done", "not JSON"),
    "two documents": BadBody(b"{}{}", "not JSON"),
    "a word": BadBody(b"nul", "not JSON"),
    "white space": BadBody(b" \n", "not JSON"),
    "a NUL byte": BadBody(b"\0", "not JSON"),
    "a raw NUL in a text": BadBody(b'{"reason": "\0"}', "not JSON"),
    "a raw line break in a text": BadBody(b'{"reason": "\n"}', "not JSON"),
    "half an escape": BadBody(rb'{"reason": "\u12"}', "not JSON"),
    "a list": BadBody(b"[1]", "not an object"),
    "an empty list": BadBody(b"[]", "not an object"),
    "a text": BadBody(b'"x"', "not an object"),
    "null": BadBody(b"null", "not an object"),
    "true": BadBody(b"true", "not an object"),
    "a number": BadBody(b"0", "not an object"),
    "lists 30,000 deep": BadBody(b"[" * 30_000 + b"]" * 30_000, "nested too deeply"),
    "lists 60,000 deep, cut off": BadBody(b"[" * 60_000, "nested too deeply"),
    "objects 10,000 deep": BadBody(b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "nested too deeply"),
    "a member 12 deep": BadBody(b'{"x": ' + b"[" * 12 + b"]" * 12 + b"}", "nested too deeply"),
    "a name twice": BadBody(b'{"reason": "a", "reason": "b"}', "stands twice"),
    "a name twice, once escaped": BadBody(rb'{"reason": "a", "r\u0065ason": 1}', "stands twice"),
    "a name twice, deeper": BadBody(b'{"x": [{"y": 1, "y": 1}]}', "stands twice"),
    "NaN": BadBody(b'{"priority": NaN}', "NaN is not a JSON number"),
    "Infinity": BadBody(b'{"priority": Infinity}', "Infinity is not a JSON number"),
    "-Infinity": BadBody(b"[-Infinity]", "-Infinity is not a JSON number"),
    "a number of 5,000 digits": BadBody(b'{"x": ' + b"9" * 5_000 + b"}", "not JSON"),
    "a number with a leading zero": BadBody(b'{"priority": 01}', "not JSON"),
    "a hexadecimal number": BadBody(b'{"priority": 0x1}', "not JSON"),
    "Arabic digits": BadBody('{"priority": \N{ARABIC-INDIC DIGIT ONE}}'.encode(), "not JSON"),
    "an unknown member": BadBody(b'{"nope": 1}', "'nope' is not known"),
    "a read-only member": BadBody(b'{"pending_documents": 0}', "'pending_documents' is not known"),
    "an empty name": BadBody(b'{"": 1}', "'' is not known"),
    "a name with a NUL": BadBody(rb'{"\u0000": 1}', r"'\x00' is not known"),
    "a name with a lone surrogate": BadBody(rb'{"\ud800": 1}', r"'\ud800' is not known"),
    "a name turned round": BadBody(rb'{"\u202egnp": 1}', r"'\u202egnp' is not known"),
    "a name with a slash": BadBody(b'{"a/~b": 1}', "'a/~b' is not known"),
    "a name of Python": BadBody(b'{"__class__": 1}', "'__class__' is not known"),
    "a name of the framework": BadBody(b'{"non_field_errors": 1}', "'non_field_errors' is not"),
    "a long name": BadBody(b'{"' + b"x" * 60_000 + b'": 1}', "is not known"),
    "5,000 names": BadBody(
        b"{" + b",".join(b'"n%d":1' % n for n in range(5_000)) + b"}", "there are more.)"
    ),
    "a byte that is not UTF-8": BadBody(b'{"reason": "\xff"}', "not UTF-8"),
    "Latin-1": BadBody('{"reason": "é"}'.encode("latin-1"), "not UTF-8"),
    "an overlong NUL": BadBody(b'{"reason": "\xc0\x80"}', "not UTF-8"),
    "a surrogate as UTF-8": BadBody(b'{"reason": "\xed\xa0\x80"}', "not UTF-8"),
    "a byte order mark": BadBody(b"\xef\xbb\xbf{}", "not JSON"),
    "UTF-16": BadBody("{}".encode("utf-16"), "not UTF-8"),
    "UTF-16 without a mark": BadBody("{}".encode("utf-16-le"), "not JSON"),
    "UTF-32": BadBody("{}".encode("utf-32-be"), "not JSON"),
    "gzip unannounced": BadBody(gzip.compress(b"{}", mtime=0), "not UTF-8"),
    "3 MB of blanks": BadBody(b" " * 3_000_000 + b"{}", "larger than", 413),
    "3 MB of text": BadBody(b'{"reason": "' + b"x" * 3_000_000 + b'"}', "larger than", 413),
    "lists 2,000,000 deep": BadBody(b"[" * 2_000_000 + b"]" * 2_000_000, "larger than", 413),
    "a form": media(FORM, b"reason=x"),
    "a form that is not UTF-8": media(FORM, b"reason=%ff"),
    "a form of 2,000 fields": media(FORM, b"&".join(b"f%d=1" % n for n in range(2_000))),
    "a form of 3 MB": media(FORM, b"reason=" + b"x" * 3_000_000),
    "a form in UTF-7": media(f"{FORM}; charset=utf-7", b"reason=x"),
    "a form with parts": media("multipart/form-data; boundary=x", b"--x--"),
    "a form without a boundary": media("multipart/form-data", b"--x--"),
    "plain text": media("text/plain"),
    "XML": media("application/xml", b"<reason>x</reason>"),
    "YAML": media("application/yaml", b"reason: x"),
    "JSON of another kind": media("application/merge-patch+json"),
    "text/json": media("text/json"),
    "a media type without a slash": media("json"),
    "a media type of 5,000 characters": media("application/" + "x" * 5_000),
    "a bomb as charset": charset("bz2_codec", b"BZh91AY&SY"),
    "zlib as charset": charset("zlib_codec"),
    "base64 as charset": charset("base64_codec", b"e30="),
    "rot13 as charset": charset("rot13"),
    "UTF-16 as charset": charset("utf-16", "{}".encode("utf-16")),
    "UTF-7 as charset": charset("utf-7", b"+AHs-+AH0-"),
    "UTF-8 with a mark as charset": charset("utf-8-sig"),
    "Latin-1 as charset": charset("latin-1"),
    "no charset as charset": charset("undefined"),
    "a made-up charset": charset("x-none"),
    "an empty charset": charset('""'),
    "gzip": encoded("gzip", gzip.compress(b"{}", mtime=0)),
    "deflate": encoded("deflate"),
    "br": encoded("br"),
    "gzip twice": encoded("gzip, gzip"),
    "a made-up encoding": encoded("x-none"),
}

NO_TEXT = ("5", "1.5", "true", '["x"]', '{"x": "y"}')
UNSHOWN = (
    r'"a\u0000"',
    r'"a\ud800"',
    r'"\udfff"',
    r'"a\nb"',
    r'"\u001b[31m"',
    r'"\u0085"',
    r'"\u061cacme"',
    r'"\u200bacme"',
    r'"\u200facme"',
    r'"acme\u202egnp"',
    r'"\u2066acme\u2069"',
    r'"\ufeffacme"',
)


def too_long(length: int) -> str:
    return f'"{"x" * (length + 1)}"'


NO_NUMBER = (
    "1.0",
    '"1"',
    "true",
    "null",
    "[1]",
    "{}",
    '""',
    '"\N{ARABIC-INDIC DIGIT ONE}"',
    MANY,
    f"-{MANY}",
    "1e400",
)
NO_NUMBER += ("1.5", "1e0", "2147483648", "9223372036854775808", "9" * 4_000)
FALLING = [-1, -2, -3, -4, -5, -6, -7, -8]


def list_of(item: str, count: int) -> str:
    return f"[{', '.join([item] * count)}]"


def thresholds(*, eighth: str) -> str:
    return f"[-1, -2, -3, -4, -5, -6, -7, {eighth}]"


VALUES = {
    "customer": (
        *(*NO_TEXT, "null", '""', '" "', '"a b"', '"a/b"', '"é"', '"acme\\n"', r'"\u0000"'),
        *(
            '"."',
            '".."',
            r'"\ud800"',
            r'"\u202eacme"',
            '"acme\\u200b"',
            '"١٢"',
            '"a%00"',
            '"a+b"',
            '"<b>"',
        ),
        too_long(64),
    ),
    "document": (
        *(*NO_TEXT, "null", '""', r'"a\u0000"', r'"a\ud800"', r'"a\nb"', r'"\u009f"'),
        too_long(200),
    ),
    "name": (*NO_TEXT, *UNSHOWN, "null", too_long(200)),
    "policy": (*NO_TEXT, *UNSHOWN, too_long(64)),
    "reason": (*NO_TEXT, *UNSHOWN, "null", too_long(500)),
    "priority": (*NO_NUMBER, "0", "10", "-1", "-0"),
    "reset_interval": (*NO_NUMBER, "9", "31536001", "-600"),
    "recovery": (*NO_TEXT, "null", '""', '"Idle"', '"nope"', '["idle"]', r'"idle\u0000"'),
    "thresholds": (
        *("5", '"text"', '"-1234567"', "null", "true", "{}", "[]", "[[]]", str(FALLING[:7])),
        *(str([*FALLING, -9]), str(FALLING[::-1]), str([-1] * 8), str([1, *FALLING[1:]])),
        *(thresholds(eighth=wrong) for wrong in ("-8.0", '"-8"', "true", "null", "[]", "-1e400")),
        *(thresholds(eighth=wrong) for wrong in ("-1000000001", f"-{MANY}", "-2147483649")),
    ),
    "until": (
        *("5", "true", "[]", "{}", '""', '"tomorrow"', '"2100-01-01"', '"2100"'),
        *('"2100-01-01T00:00:00"', '"2100-01-01 00:00:00Z"', '"2100-13-01T00:00:00Z"'),
        *('"2100-02-30T00:00:00Z"', '"2100-01-01T25:00:00Z"', '"2100-01-01T00:00:60Z"'),
        *('"2100-01-01T00:00:00+99:00"', '"٢١٠٠-01-01T00:00:00Z"', '"+2100-01-01T00:00:00Z"'),
        *('"9999-12-31T23:59:59Z"', '"9999-12-31T23:59:59-12:00"', '"0001-01-01T00:00:00+14:00"'),
        *('"0000-01-01T00:00:00Z"', '"1969-12-31T23:59:59Z"', '"2001-01-01T00:00:00Z"'),
        *(r'"2100-01-01T00:00:00Z\u0000"', r'"\ud800"', '"2100-01-01T00:00:00Z\\n"', "4102444800"),
    ),
    "items": (
        *("5", '"acme"', "null", "true", "{}", '{"customer": "acme"}', "[]", "[[]]", "[null]"),
        *('["acme"]', "[5]", "[{}]", '[{"customer": null}]', '[{"customer": 5}]'),
        *('[{"customer": ["acme"]}]', '[{"customer": "a b"}]', r'[{"customer": "a\ud800"}]'),
        *('[{"document": "d"}]', '[{"customer": "acme", "document": null}]'),
        *('[{"customer": "acme", "document": ""}]', '[{"customer": "acme", "document": 5}]'),
        *(r'[{"customer": "acme", "document": "\u0000"}]', '[{"customer": "acme", "nope": 1}]'),
        *('[{"customer": "acme", "document": "d", "priority": 1}]', '[{"customer": "acme"}, {}]'),
        list_of("{}", 1_000),
        list_of("1", 1_001),
        list_of('{"customer": "acme"}', 1_001),
    ),
}
"""Of each member, JSON that it does not take in any call."""

QUERIES = (
    *("nope=1", "format=json", "page=2", "offset=0", "_=1", "LIMIT=1", "limit%5B%5D=1", "q"),
    *("=1", "nope=1&nope=2", "key=acme", "customer__policy__name=x", "policy__name=x", "id=1"),
    *("%00=1", "limit%00=1", "nope%00", "%ED%A0%80=1", "%ff=1", "nope=%ff", "%C0%80=1"),
    *("%E2%80%AElimit=1", "password__regex=.", f"{'x' * 5_000}=1", f"nope={'9' * 5_000}"),
    *("%F0%9F%92%A3=1", "nope=%00", "a%2Fb~=1", "nope=1;nope=2"),
    "&".join(f"p{number}=1" for number in range(900)),
    "&".join(f"p{number}=1" for number in range(2_000)),
)
"""Parameters that no call takes."""

NO_DIGITS = ("", "0", "-1", "%2B1", "1.0", "1e2", "01", "%201", "1%20", "1_0", "0x1", "NaN", "true")
NO_DIGITS += ("%D9%A1", "1%00", "%00", "1%0A", MANY, "9" * 5_000, "2147483648", "null", "1;limit=1")
UNSHOWABLE = ("%00", "a%00b", "%0A", "%1B", "%E2%80%AE", "%D8%9Ca", "%E2%80%8B", "%EF%BB%BF")

PARAMETERS = {
    "limit": (*NO_DIGITS, "100000000", "101", "1&limit=1", "1&limit=2", "&limit="),
    "cursor": ("", "%00", "%21", "a%20b", "W10%3D", "%D9%A1", "x" * 2_001, "W10&cursor=W10"),
    "priority": (*NO_DIGITS, "10", "7-9", "7,8", "7&priority=8"),
    "priority_min": (*NO_DIGITS, "10", "7&priority_min=7"),
    "state": ("", "Idle", "nope", "idle%00", "%00", "idle,pinned", "idle&state=idle"),
    "policy": ("", ".", "..", *UNSHOWABLE, "x" * 65, "gold&policy=gold"),
    "search": ("", *UNSHOWABLE, "x" * 101, "+".join(["term"] * 2_000), "a&search=b"),
    "ordering": (
        *("", "-", "--name", "nope", "id", "Name", "name,customer", "name%00", "%00", "?"),
        *("counter__updated_at", "policy__name", "name%20DESC", "name&ordering=name"),
    ),
    "kind": ("", "nope", "RESET", "reset%00", "%00", "reset&kind=pin"),
    "document": ("", "%00", "a%00", "%0A", "%C2%9F", "x" * 201, "d&document=d"),
}
"""Of each parameter, values that it does not take."""

KEYS = (
    *(
        "%00",
        "a%00b",
        "%ff",
        "%ED%A0%80",
        "%C0%80",
        "a%20b",
        "%20",
        "%0A",
        "acme%0A",
        "a+b",
        "a%2B",
    ),
    *("%C3%A9", "%D9%A1", "%E2%80%AEacme", "acme%E2%80%8B", "%EF%BB%BFacme", "a%25b", "%2500"),
    *("a,b", "a;b", "%3Cscript%3E", "'%20OR%201=1--", "*", "a%5Cb", "x" * 65, "x" * 5_000, "%3F"),
    *(".", "..", "%2E", "%2e%2E"),
    *("a%23b", "$(id)", "{key}", "%F0%9F%92%A3", "a%7Fb"),
)
"""What is no customer's key, as an address has it."""

NAMES = (
    *("%00", "gold%00", "%1B%5B31m", "%C2%85", "%E2%80%AEgold", "gold%D8%9C"),
    *("%E2%80%8Bgold", "%EF%BB%BFgold", "%E2%81%A6gold", "x" * 65, "x" * 5_000, "a%00/b", "%7F"),
)
"""What is no policy's name, as an address has it."""

ACCEPTS = (
    *("text/xml", "text/html", "application/xml", "text/*", "x", "a/b/c", ";;;", ",", "/", "\xff"),
    *("application/vnd.api+json", "image/png;q=0.1", "json", "application/json2", "\t", "; q=1"),
    *("x" * 10_000, ",".join(["text/plain"] * 2_000), "text/plain;" + "a=b;" * 2_000),
)
"""Values of Accept without JSON."""
