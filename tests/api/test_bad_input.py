"""Bad input to every call is refused with a message that helps, and nothing is done."""

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.test import RequestFactory
from rest_framework.authentication import BasicAuthentication, SessionAuthentication

from doc_priority.api.views import CustomersView
from tests.api.conftest import CALLS, TERMS, Call, Caller, assert_problem, make_customer
from tests.databases import everything_stored
from tests.factories import PolicyFactory

WITH_BODY = [call for call in CALLS if call.body is not None]
has_remedy = re.compile(
    r"\b(use|give|leave|choose|write|split|say|take|create|begin again|encode|pin until"
    r"|from -?\d+|at most|list of|must be|between|not an object|known are|there is none"
    r"|missing|cannot be null|a datetime with a time zone)\b"
).search


@pytest.fixture(autouse=True)
def acme(db: None) -> Iterator[None]:
    """A customer with everything a customer can have; no test here may change anything."""
    PolicyFactory(name="gold")
    make_customer("acme")
    before = everything_stored()
    yield
    assert everything_stored() == before


def assert_refused(
    answer: Any, called: object, *, status: int = 400, says: str = "", at: str = ""
) -> None:
    """A short problem document, with this in its message and a remedy at this place or below."""
    told = f"{str(called)[:300]}: {answer.content[:400]!r}"
    assert answer.status_code == status, told
    assert answer["Content-Type"] == "application/problem+json", told
    problem = json.loads(answer.content.decode("utf-8"))
    assert set(problem) == {"type", "title", "status", "detail", "code", "errors"}, told
    assert problem["status"] == status, told
    assert len(answer.content) <= 20_000, told
    assert says in problem["detail"], told
    here = [error["detail"] for error in problem["errors"] if error["pointer"].startswith(at)]
    assert not at or any(map(has_remedy, here)), told


def with_value(call: Call, member: str, value: str) -> bytes:
    """The call's body with this JSON for one of its members."""
    text = json.dumps({**call.to()[2], member: "<here>"})
    return text.replace('"<here>"', value).encode()


def test_bodies_that_no_call_takes(root: Caller) -> None:
    no_json = (
        *(b'{"reason": "x"', b"{]", b"{'reason': 'x'}", b'{"reason": "x",}', b"{} // done"),
        *(b"{}{}", b"nul", b" \n", b"\0", b'{"reason": "\0"}', b'{"reason": "\n"}'),
        *(rb'{"reason": "\u12"}', b'{"priority": 01}', b'{"priority": 0x1}', b"\xef\xbb\xbf{}"),
        *(b'{"x": ' + b"9" * 5_000 + b"}", '{"priority": \N{ARABIC-INDIC DIGIT ONE}}'.encode()),
        *("{}".encode("utf-16-le"), "{}".encode("utf-32-be")),
    )
    names = ("nope", "pending_documents", "actor", "source", "at", "", "a/~b", "__class__")
    bodies: dict[str, tuple[bytes, ...]] = {
        "not JSON": no_json,
        "not an object": (b"[1]", b"[]", b'"x"', b"null", b"true", b"0"),
        "nested too deeply": (
            *(b"[" * 30_000 + b"]" * 30_000, b"[" * 60_000),
            b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
            b'{"x": ' + b"[" * 12 + b"]" * 12 + b"}",
        ),
        "larger than": (
            b" " * 3_000_000 + b"{}",
            b'{"reason": "' + b"x" * 3_000_000 + b'"}',
            b"[" * 2_000_000 + b"]" * 2_000_000,
        ),
        "stands twice": (
            *(b'{"reason": "a", "reason": "b"}', rb'{"reason": "a", "r\u0065ason": 1}'),
            b'{"x": [{"y": 1, "y": 1}]}',
        ),
        "NaN is not a JSON number": (b'{"priority": NaN}',),
        "Infinity is not a JSON number": (b'{"priority": Infinity}', b"[-Infinity]"),
        **{f"'{name}' is not known": (b'{"%s": 1}' % name.encode(),) for name in names},
        r"'\x00' is not known": (rb'{"\u0000": 1}',),
        r"'\ud800' is not known": (rb'{"\ud800": 1}',),
        r"'\u202egnp' is not known": (rb'{"\u202egnp": 1}',),
        "is not known": (b'{"' + b"x" * 60_000 + b'": 1}',),
        "there are more.)": (b"{" + b",".join(b'"n%d":1' % n for n in range(5_000)) + b"}",),
        "not UTF-8": (
            *(b'{"reason": "\xff"}', '{"reason": "é"}'.encode("latin-1"), "{}".encode("utf-16")),
            *(b'{"reason": "\xc0\x80"}', b'{"reason": "\xed\xa0\x80"}'),
            gzip.compress(b"{}", mtime=0),
        ),
    }

    for call in WITH_BODY:
        method, address, _ = call.to()
        for body, says in ((body, says) for says, group in bodies.items() for body in group):
            answer = root.request(method, address, body)
            status = 413 if says == "larger than" else 400
            assert_refused(answer, (call, body[:80]), status=status, says=says)
        if call.address != "checks/":
            answer = root.request(method, address, b"{}".ljust(64 * 1024 + 1))
            assert_refused(answer, call, status=413, says="65536 bytes")
        answer = root.request(method, address, b"{}", headers={"Transfer-Encoding": "chunked"})
        assert_problem(answer, 411, "length_required")


def test_forms_of_a_body_that_no_call_takes(root: Caller) -> None:
    form = "application/x-www-form-urlencoded"
    media_types = (
        *(f"{form}; charset=utf-7", "multipart/form-data; boundary=x", "multipart/form-data"),
        *("text/plain", "application/xml", "application/yaml", "application/merge-patch+json"),
        *("text/json", "json", "application/" + "x" * 5_000),
    )
    forms = (
        *(b"reason=x", b"reason=%ff", b"reason=" + b"x" * 3_000_000),
        b"&".join(b"f%d=1" % n for n in range(2_000)),
    )
    charsets = {
        "bz2_codec": b"BZh91AY&SY",
        "base64_codec": b"e30=",
        "utf-16": "{}".encode("utf-16"),
        "utf-7": b"+AHs-+AH0-",
        **dict.fromkeys(("zlib_codec", "rot13", "utf-8-sig", "latin-1", "undefined"), b"{}"),
        **dict.fromkeys(("x-none", '""'), b"{}"),
    }
    encodings = {
        "gzip": gzip.compress(b"{}", mtime=0),
        **dict.fromkeys(("deflate", "br", "gzip, gzip", "x-none"), b"{}"),
    }

    for call in WITH_BODY:
        method, address, _ = call.to()
        for media_type, body in (*product(media_types, [b"{}"]), *product([form], forms)):
            answer = root.request(method, address, body, content_type=media_type)
            assert_refused(answer, (call, media_type), status=415, says="media type")
        for charset, body in charsets.items():
            content_type = f"application/json; charset={charset}"
            answer = root.request(method, address, body, content_type=content_type)
            assert_refused(answer, (call, charset), status=415, says="charset")
        for encoding, body in encodings.items():
            headers = {"Content-Encoding": encoding}
            answer = root.request(method, address, body, headers=headers)
            assert_refused(answer, (call, encoding), status=415, says="content encoding")


def test_a_bodys_charset_says_nothing_of_the_parameters(root: Caller) -> None:
    for charset, accept in (
        *(("utf-16", "*/*"), ("utf-7", "application/json, */*")),
        *(("unicode_escape", "*/*"), ("cp037", "application/json, */*")),
    ):
        options: dict[str, Any] = {
            "content_type": f"application/json; charset={charset}",
            "headers": {"Accept": accept},
        }
        page = root.get("customers/?search=acme&limit=1", body=b"{}", **options)
        assert [row["customer"] for row in page.json()["results"]] == ["acme"]

        for call in CALLS:
            answer = root.request(*call.to()[:2], b"{}", **options)
            assert answer.status_code == (415 if call in WITH_BODY else 200)
            answer = root.request(call.method, f"{call.to()[1]}?%C3%A4=1", b"{}", **options)
            assert_refused(answer, call, says="'\\xe4' is not known", at="?")


def test_values_that_a_member_does_not_take(root: Caller) -> None:
    """Each value stands as JSON between blanks; a blank in a text is written as its escape."""
    no_text = '5 1.5 true ["x"] {"x":"y"} '
    unshown = (
        r'"a\u0000" "a\ud800" "\udfff" "a\nb" "\u001b[31m" "\u0085" "\u061cacme" "\u200bacme" '
        r'"\u200facme" "acme\u202egnp" "\u2066acme\u2069" "\ufeffacme" '
    )
    no_number = (
        '1.0 "1" true null [1] {} "" "\N{ARABIC-INDIC DIGIT ONE}" 1e400 1.5 1e0 2147483648 '
        "9223372036854775808 10000000000000000000000000 -10000000000000000000000000 "
    ) + "9" * 4_000
    values = {
        "customer": no_text
        + r'null "" "\u0020" "a\u0020b" "a/b" "é" "acme\n" "\u0000" "." ".." "\ud800" '
        + r'"\u202eacme" "acme\u200b" "١٢" "a%00" "a+b" "<b>"',
        "document": no_text + r'null "" "a\u0000" "a\ud800" "a\nb" "\u009f"',
        "name": no_text + unshown + "null",
        "policy": no_text + unshown,
        "reason": no_text + unshown + "null",
        "priority": no_number + " 0 10 -1 -0",
        "reset_interval": no_number + " 9 31536001 -600",
        "recovery": no_text + r'null "" "Idle" "nope" ["idle"] "idle\u0000"',
        "thresholds": """
            5 "text" "-1234567" null true {} [] [[]] [-1,-2,-3,-4,-5,-6,-7]
            [-1,-2,-3,-4,-5,-6,-7,-8,-9] [-8,-7,-6,-5,-4,-3,-2,-1] [-1,-1,-1,-1,-1,-1,-1,-1]
            [1,-2,-3,-4,-5,-6,-7,-8] [-1,-2,-3,-4,-5,-6,-7,-8.0] [-1,-2,-3,-4,-5,-6,-7,"-8"]
            [-1,-2,-3,-4,-5,-6,-7,true] [-1,-2,-3,-4,-5,-6,-7,null] [-1,-2,-3,-4,-5,-6,-7,[]]
            [-1,-2,-3,-4,-5,-6,-7,-1e400] [-1,-2,-3,-4,-5,-6,-7,-1000000001]
            [-1,-2,-3,-4,-5,-6,-7,-2147483649] [-1,-2,-3,-4,-5,-6,-7,-10000000000000000000000000]
        """,
        "until": r"""
            5 true [] {} "" "tomorrow" "2100-01-01" "2100" "2100-01-01T00:00:00" 4102444800
            "2100-01-01\u002000:00:00Z" "2100-13-01T00:00:00Z" "2100-02-30T00:00:00Z"
            "2100-01-01T25:00:00Z" "2100-01-01T00:00:60Z" "2100-01-01T00:00:00+99:00"
            "٢١٠٠-01-01T00:00:00Z" "+2100-01-01T00:00:00Z" "9999-12-31T23:59:59Z"
            "9999-12-31T23:59:59-12:00" "0001-01-01T00:00:00+14:00" "0000-01-01T00:00:00Z"
            "1969-12-31T23:59:59Z" "2001-01-01T00:00:00Z" "2100-01-01T00:00:00Z\u0000"
            "\ud800" "2100-01-01T00:00:00Z\n"
        """,
        "items": r"""
            5 "acme" null true {} {"customer":"acme"} [] [[]] [null] ["acme"] [5] [{}]
            [{"customer":null}] [{"customer":5}] [{"customer":["acme"]}] [{"document":"d"}]
            [{"customer":"a\u0020b"}] [{"customer":"a\ud800"}] [{"customer":"acme"},{}]
            [{"customer":"acme","document":null}] [{"customer":"acme","document":""}]
            [{"customer":"acme","document":5}] [{"customer":"acme","document":"\u0000"}]
            [{"customer":"acme","nope":1}] [{"customer":"acme","document":"d","priority":1}]
        """,
    }
    for item, count in (("{}", 1_000), ("1", 1_001), ('{"customer":"acme"}', 1_001)):
        values["items"] += f" [{','.join([item] * count)}]"
    lengths = {"customer": 64, "document": 200, "name": 200, "policy": 64, "reason": 500}
    for member, length in lengths.items():
        values[member] += f' "{"x" * (length + 1)}"'

    for call in WITH_BODY:
        method, address, body = call.to()
        for member in body:
            for value in values[member].split():
                answer = root.request(method, address, with_value(call, member, value))
                assert_refused(answer, (call, member, value), says=member, at=f"#/{member}")


def test_members_that_must_be_there(root: Caller) -> None:
    for method, address, required in (
        ("POST", "customers/", "customer"),
        ("POST", "customers/{key}/reset/", "reason"),
        ("PUT", "customers/{key}/pin/", "priority until reason"),
        ("POST", "checks/", "items"),
        ("POST", "policies/", "name reset_interval recovery thresholds"),
    ):
        (call,) = (one for one in CALLS if (one.method, one.address) == (method, address))
        method, address, body = call.to()
        for missing in required.split():
            rest = {name: value for name, value in body.items() if name != missing}
            answer = root.request(method, address, rest)
            assert_refused(answer, (call, missing), at=f"#/{missing}")
        assert_refused(root.request(method, address), call, at="#/")
        for blank in ('""', '" "', r'"\u00a0\u2003"') if "reason" in required else ():
            answer = root.request(method, address, with_value(call, "reason", blank))
            assert_refused(answer, (call, blank), says="say why", at="#/reason")

    for name in ("", ".", ".."):
        assert_refused(root.post("policies/", {**TERMS, "name": name}), name, at="#/name")


def test_parameters_that_no_call_takes(root: Caller) -> None:
    queries = """
        nope=1 format=json page=2 offset=0 _=1 LIMIT=1 limit%5B%5D=1 q =1 nope=1&nope=2 key=acme
        customer__policy__name=x policy__name=x id=1 %00=1 limit%00=1 nope%00 %ED%A0%80=1 %ff=1
        nope=%ff %C0%80=1 %E2%80%AElimit=1 password__regex=. %F0%9F%92%A3=1 nope=%00 a%2Fb~=1
        nope=1;nope=2
    """
    long_queries = (
        f"{'x' * 5_000}=1",
        f"nope={'9' * 5_000}",
        "&".join(f"p{number}=1" for number in range(900)),
        "&".join(f"p{number}=1" for number in range(2_000)),
    )

    for call in CALLS:
        method, address, body = call.to()
        for query in (*queries.split(), *long_queries):
            answer = root.request(method, f"{address}?{query}", body)
            assert_refused(answer, (call, query), at="?")
        for value, accept in (
            ("json", "*/*"),
            ("json", "application/json, */*"),
            ("xml", "*/*"),
            ("api", "*/*"),
            ("%00", "*/*"),
        ):
            there = f"{address}?format={value}"
            answer = root.request(method, there, body, headers={"Accept": accept})
            assert_refused(answer, there, says="'format' is not known", at="?format")


def test_values_that_a_parameter_does_not_take(root: Caller) -> None:
    """Nor does any of them take an empty one."""
    no_digits = (
        "0 -1 %2B1 1.0 1e2 01 %201 1%20 1_0 0x1 NaN true %D9%A1 1%00 %00 1%0A 2147483648 null "
        "1;limit=1 10000000000000000000000000 100000000 " + "9" * 5_000
    )
    unshowable = "%00 a%00b %0A %1B %E2%80%AE %D8%9Ca %E2%80%8B %EF%BB%BF "
    no_utf8 = "%ff %ED%A0%80 %C0%80 %80a a%F0%9F%92"
    values = {
        "limit": f"{no_digits} 101 1&limit=1 1&limit=2 &limit=",
        "cursor": f"%00 %21 a%20b W10%3D %D9%A1 {'x' * 2_001} W10&cursor=W10",
        "priority": f"{no_digits} 10 7-9 7,8 7&priority=8",
        "priority_min": f"{no_digits} 10 7&priority_min=7",
        "state": "Idle nope idle%00 %00 idle,pinned idle&state=idle",
        "policy": f"{unshowable} . .. {'x' * 65} gold&policy=gold",
        "search": f"{unshowable} {'x' * 101} {'+'.join(['term'] * 2_000)} a&search=b",
        "ordering": "- --name nope id Name name,customer name%00 %00 ? counter__updated_at "
        "policy__name name%20DESC name&ordering=name",
        "kind": "nope RESET reset%00 %00 reset&kind=pin",
        "document": f"%00 a%00 %0A %C2%9F {'x' * 201} d&document=d",
    }

    for address, parameters in (
        ("customers/", "limit cursor priority priority_min state policy search ordering"),
        ("customers/acme/events/", "limit cursor kind"),
        ("customers/acme/documents/", "limit cursor document"),
        ("policies/", "limit cursor"),
    ):
        for parameter in parameters.split():
            for value in ("", *values[parameter].split()):
                answer = root.get(f"{address}?{parameter}={value}")
                told = (address, parameter, value)
                assert_refused(answer, told, says=f"?{parameter}", at=f"?{parameter}")
            if parameter in ("policy", "search", "document"):
                for value in no_utf8.split():
                    answer = root.get(f"{address}?{parameter}={value}")
                    assert_refused(answer, (parameter, value), says="not UTF-8", at="?")


def test_keys_and_names_that_an_address_does_not_take(root: Caller) -> None:
    keys = """
        %00 a%00b %ff %ED%A0%80 %C0%80 a%20b %20 %0A acme%0A a+b a%2B %C3%A9 %D9%A1 %E2%80%AEacme
        acme%E2%80%8B %EF%BB%BFacme a%25b %2500 a,b a;b %3Cscript%3E '%20OR%201=1-- * a%5Cb %3F
        . .. %2E %2e%2E a%23b $(id) {key} %F0%9F%92%A3 a%7Fb
    """
    wrong_names = """
        %00 gold%00 %1B%5B31m %C2%85 %E2%80%AEgold gold%D8%9C %E2%80%8Bgold %EF%BB%BFgold
        %E2%81%A6gold a%00/b %7F
    """
    names = {
        **dict.fromkeys((*wrong_names.split(), "x" * 65, "x" * 5_000), (400, "{name}")),
        **dict.fromkeys(("%ff", "%ED%A0%80", "nope", "..", "a%2Fb"), (404, "{name}")),
        **dict.fromkeys(("'%20OR%201=1--", "%3Cb%3E"), (404, "{name}")),
        **dict.fromkeys(("%0A", "gold%0A", "%E2%80%A8%0A"), (404, "")),
    }

    for call in CALLS:
        for key in (*keys.split(), "x" * 65, "x" * 5_000) if "{key}" in call.address else ():
            answer = root.request(call.method, call.address.replace("{key}", key), call.to()[2])
            assert_refused(answer, (call, key), at="{key}")
        for name, (status, at) in names.items() if "{name}" in call.address else ():
            answer = root.request(call.method, call.address.replace("{name}", name), call.to()[2])
            assert_refused(answer, (call, name), status=status, at=at)


def test_answers_have_one_form_but_pages_come_whatever_is_accepted(root: Caller) -> None:
    accepts = (
        *("text/xml", "text/html", "application/xml", "text/*", "x", "a/b/c", ";;;", ",", "/"),
        *("application/vnd.api+json", "image/png;q=0.1", "json", "application/json2", "\t"),
        *("\xff", "; q=1", "x" * 10_000, ",".join(["text/plain"] * 2_000)),
        "text/plain;" + "a=b;" * 2_000,
    )

    for call in CALLS:
        for accept in accepts:
            answer = root.request(*call.to(), headers={"Accept": accept})
            if call.address.startswith("docs/"):
                assert answer.status_code == 200, accept
            else:
                assert_refused(answer, (call, accept), status=406)


def test_wrong_methods_and_unknown_addresses(root: Caller) -> None:
    methods = "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT BREW"
    for call in CALLS:
        right = {other.method for other in CALLS if other.address == call.address}
        right |= {"HEAD"} if "GET" in right else set()
        for method in set(methods.split()) - right:
            answer = root.request(method, *call.to()[1:])
            assert answer.status_code == 405
            assert set(answer["Allow"].split(", ")) == right
            if method != "HEAD":
                assert_refused(answer, (call, method), status=405, says=method)

    addresses = """
        customers customers/acme customers/acme/check customers// customers/acme//
        customers/acme/nope/ customers/acme/check/x/ customers/a%2Fb/ customers/a/b/pin/ checks
        checks/acme/ policies policies/gold policies// stats stats/x/ schema schema/x/ docs
        docs/x/y docs/..%2Fserving.py customers/%00 customers/%ff customers/%E2%80%AE checks/%0A
        stats/%ED%A0%80
    """
    for address in (*addresses.split(), f"customers/{'x/' * 5_000}"):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"):
            assert_refused(root.request(method, address, b"{]"), (method, address), status=404)
        assert root.request("HEAD", address).status_code == 404
    for asset in ("nope.js", "%00", "%ff", "docs.js%00", "..", "serving.py"):
        assert_refused(root.get(f"docs/{asset}"), asset, status=404)


def test_headers_without_a_meaning_change_nothing(root: Caller) -> None:
    for header, values in {
        "If-None-Match": ('"', "W/", "x" * 5_000, "\xff", '"\xff", "a', ",,,"),
        "Accept-Language": ("x" * 5_000, "de;q=x", "*-*", "\xff", "x-" * 1_000, "../../etc", "zz"),
        "Accept-Charset": ("utf-7", "bz2_codec"),
        "Accept-Encoding": ("bz2_codec", "identity;q=0"),
        "X-HTTP-Method-Override": ("DELETE",),
        "X-Requested-With": ("\xff",),
        "Range": ("bytes=0-1", "bytes=-9999999999999999999999999"),
        "Cookie": ("sessionid=%00", "sessionid=\xff; csrftoken=x", "=;=;", "x" * 5_000),
        "Expect": ("nothing",),
    }.items():
        for value in values:
            answer = root.get("customers/acme/", headers={header: value})
            assert answer.status_code == 200, (header, value)


def test_a_token_of_no_form_is_nobodys() -> None:
    stranger = Caller()
    for authorization in (
        *("", "Token", "Token a b", "Token \xff", "Token \0", "Token x", "Token " + "a" * 5_000),
        *("Bearer x", "Basic YTpi", "Basic a", "Basic \xff", "token", "\xff", ","),
        "Digest username=x",
    ):
        for call in CALLS:
            if call.needs is not None:
                answer = stranger.request(*call.to(), headers={"Authorization": authorization})
                assert_refused(answer, (call, authorization), status=401)
                assert answer["WWW-Authenticate"]


def test_credentials_with_a_nul_are_nobodys() -> None:
    """PostgreSQL cannot look for them."""
    name, password = b64encode(b"adm\0in:x").decode(), b64encode(b"admin:\0").decode()
    view = CustomersView.as_view(
        authentication_classes=[BasicAuthentication, SessionAuthentication]
    )

    for headers in (
        {"Authorization": f"Basic {name}"},
        {"Authorization": f"BASIC\t{name}"},
        {"Authorization": f"Basic {password}"},
        {"Authorization": "Basic \0"},
        {"Cookie": "sessionid=abcdefgh\0"},
        {"Cookie": r'sessionid="abcdefgh\000"'},
    ):
        request = RequestFactory().get("/api/v1/customers/", headers=headers)
        answer = SessionMiddleware(AuthenticationMiddleware(view))(request).render()
        assert "NUL" in assert_problem(answer, 401, "authentication_failed")["detail"]

    answer = Caller().get("docs/docs.js", headers={"Authorization": f"Basic {name}"})
    assert answer.status_code == 200


def test_wrong_items_are_told_apart_and_some_of_very_many_are_named(root: Caller) -> None:
    items = ({"customer": "acme"}, {"customer": "a b"}, {"customer": "acme", "document": 5}, "acme")
    answer = root.post("checks/", {"items": [*items, {"customer": "acme", "x": 1}]})
    pointers = ["#/items/1/customer", "#/items/2/document", "#/items/3", "#/items/4/x"]
    assert_problem(answer, 400, "invalid", at=pointers)

    names = {f"n{number}": 1 for number in range(30_000)}
    for body in ({"items": [{}] * 1_000}, names, {"items": [names]}):
        problem = root.post("checks/", body).json()
        assert len(problem["errors"]) == 20
        assert problem["detail"].endswith("(These are the first 20 errors; there are more.)")

    for member in ("reset_interval", "recovery", "thresholds", "name"):
        for value in ("x" * 50_000, [*range(-1, -8, -1), "x" * 50_000]):
            answer = root.post("policies/", {"name": "new", **TERMS, member: value})
            assert_refused(answer, member, at=f"#/{member}")

    problem = root.post("checks/", {"items": [{}] * 20}).json()
    assert len(problem["errors"]) == 20
    assert problem["detail"].endswith("(20 errors in all.)")


@pytest.mark.timeout(30)
def test_a_name_twice_is_found_in_one_pass(root: Caller) -> None:
    """To compare every name with every other would take a quarter of an hour."""
    names = [b'"n%06d":1' % number for number in range(200_000)]

    problem = root.post("checks/", b"{" + b",".join([*names, names[-1]]) + b"}").json()

    assert "'n199999' stands twice" in problem["detail"]
