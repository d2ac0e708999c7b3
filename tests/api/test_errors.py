"""Every error is a problem document, whatever its cause; it and explanations speak languages."""

from typing import Any, Never

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.urls import include, path
from django.utils import translation
from rest_framework.exceptions import NotFound
from rest_framework.response import Response
from rest_framework.views import APIView

from doc_priority import services
from doc_priority.exceptions import EventIsWritten
from doc_priority.testing import FrozenTime
from tests.api.conftest import Caller, assert_problem
from tests.databases import everything_stored
from tests.factories import EventFactory, PolicyFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def acme(clock: FrozenTime) -> None:
    """A customer that has sent 14 documents, and a policy."""
    PolicyFactory(name="gold")
    services.create_customer("acme", name="Acme")
    services.check_many(["acme"] * 14)


def test_every_refusal_is_a_problem(root: Caller, caller_as: Any) -> None:
    services.set_policy("acme", policy="gold")
    before = everything_stored()
    for method, address, body, status, code in (
        ("GET", "customers/?limit=x", b"", 400, "invalid"),
        ("POST", "customers/acme/reset/", {"reason": 1}, 400, "invalid"),
        ("POST", "customers/acme/reset/", b"{", 400, "parse_error"),
        ("GET", "customers/no key/", b"", 400, "invalid_key"),
        ("GET", "policies/%00/", b"", 400, "invalid_text"),
        ("GET", "customers/nobody/", b"", 404, "customer_not_found"),
        ("GET", "policies/none/", b"", 404, "policy_not_found"),
        ("GET", "customers/?cursor=abc", b"", 404, "invalid_cursor"),
        ("GET", "customers/acme/unknown/", b"", 404, "not_found"),
        ("POST", "customers", b"", 404, "not_found"),
        ("PUT", "customers/", b"", 405, "method_not_allowed"),
        ("OPTIONS", "stats/", b"", 405, "method_not_allowed"),
        ("POST", "customers/", {"customer": "acme"}, 409, "customer_exists"),
        ("DELETE", "policies/gold/", b"", 409, "policy_in_use"),
        ("POST", "customers/acme/check/", {"document": "x" * 70_000}, 413, "body_too_large"),
    ):
        assert_problem(root.request(method, address, body), status, code)

    page = root.get("stats/", headers={"Accept": "text/html"})
    assert_problem(page, 406, "not_acceptable")
    form = root.post("customers/acme/check/", b"document=1", content_type="text/plain")
    assert_problem(form, 415, "unsupported_media_type")
    assert_problem(Caller().get("customers/"), 401, "not_authenticated")
    made_up = Caller().get("customers/", headers={"Authorization": "Token made up"})
    assert_problem(made_up, 401, "authentication_failed")
    assert_problem(caller_as("nobody").get("stats/"), 403, "permission_denied")
    assert everything_stored() == before


def test_what_django_raises_is_a_problem_too_but_what_nobody_foresaw_is_not_hidden(
    root: Caller, reach: Any
) -> None:
    for error, status, code in (
        (Http404("No such portal"), 404, "not_found"),
        (PermissionDenied("Not on Sundays"), 403, "permission_denied"),
    ):

        def fails(user: User, error: Exception = error) -> Never:
            raise error

        reach(fails)
        for address in ("customers/", "customers/acme/", "stats/"):
            assert_problem(root.get(address), status, code)

    for function, error in (
        (lambda user: 1 / 0, ZeroDivisionError),
        (lambda user: EventFactory(reason="true").save(), EventIsWritten),
    ):
        reach(function)
        root.client.raise_request_exception = True
        with pytest.raises(error):
            root.get("customers/")
        root.client.raise_request_exception = False
        assert root.get("customers/").status_code == 500


def test_the_portals_exception_handler_is_neither_called_nor_replaced(
    root: Caller, settings: Any
) -> None:
    class PortalView(APIView):
        permission_classes = ()

        def get(self, request: Any) -> Never:
            raise NotFound

    def handler(error: Exception, context: Any) -> Response:
        return Response({"portal": type(error).__name__}, status=418)

    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "EXCEPTION_HANDLER": handler}
    api = include("doc_priority.api.urls")
    settings.ROOT_URLCONF = (path("api/v1/", api), path("own/", PortalView.as_view()))

    assert_problem(root.get("customers/nobody/"), 404, "customer_not_found")
    assert_problem(root.get("customers/no/where/"), 404, "not_found")
    assert_problem(root.put("customers/"), 405, "method_not_allowed")
    own = root.client.get("/own/")
    assert (own.status_code, own.json()) == (418, {"portal": "NotFound"})


@pytest.fixture(params=[True, False], ids=["LocaleMiddleware", "none"])
def middleware(request: pytest.FixtureRequest, settings: Any) -> None:
    """With Django's LocaleMiddleware and without it."""
    if not request.param:
        settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if "Locale" not in one]


@pytest.mark.usefixtures("middleware")
def test_the_explanation_is_in_the_language_asked_for(root: Caller, settings: Any) -> None:
    german = (
        "13 Dokumente seit 2030-01-31 09:41 UTC: "
        "Die Priorität von Acme hat sich von 1 auf 7 verschlechtert. "
        "Kommt nichts Neues, ist die Priorität am 2030-01-31 10:06 UTC wieder 1."
    )

    def explained(asked: str) -> str:
        answer = root.get("customers/acme/", headers={"Accept-Language": asked})
        return str(answer.json()["explanation"])

    beginnings = {
        "en": "13 documents since 2030-01-31 09:41 UTC moved Acme from priority 1 to 7. If",
        "de": german,
        "es": "13 documentos desde el 2030-01-31 09:41 UTC: Acme ha pasado de la prioridad 1",
        "pl": "13 dokumentów od 2030-01-31 09:41 UTC: priorytet klienta Acme spadł z 1 do 7.",
        "pt": "Com 13 documentos desde 2030-01-31 09:41 UTC, Acme passou da prioridade 1 para a 7.",
    }

    for asked, language in (
        *((language, language) for language in beginnings),
        *(("de-AT", "de"), ("es-MX", "es"), ("pt-BR", "pt"), ("PL", "pl"), ("en-GB", "en")),
        *(("pl;q=0.3, de;q=0.9, es;q=0.5", "de"), ("de;q=0, es", "es"), ("tlh, pt;q=0.1", "pt")),
        *(("tlh", "en"), ("*", "en"), ("", "en"), ("de" * 500, "en")),
        ("\u20ac;q=\u00e4, ;;;,q", "en"),
    ):
        said = explained(asked)
        assert said.startswith(beginnings[language]), asked
        answer = root.get("customers/", headers={"Accept-Language": asked})
        (listed,) = answer.json()["results"]
        assert listed["explanation"] == said, asked

    settings.LANGUAGE_CODE = "pl"
    explanation = root.get("customers/acme/").json()["explanation"]
    assert explanation.startswith("13 dokumentów")
    assert explained("en").startswith("13 documents")
    asked = {"Accept-Language": "de"}
    changed = root.patch("customers/acme/", {"name": "Acme"}, headers=asked).json()
    assert changed["explanation"] == german
    made = root.post("customers/", {"customer": "new"}, headers=asked).json()
    assert made["explanation"] == "new hat Priorität 1: Bisher kam kein Dokument."

    # It serves a call and then something else of the portal.
    settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if "Locale" not in one]

    with translation.override("pl"):
        assert explained("de") == german
        assert root.get("customers/nobody/").status_code == 404
        assert translation.get_language() == "pl"

    settings.LANGUAGES = [("en", "English"), ("es", "Spanish")]
    assert explained("de, es;q=0.5").startswith("13 documentos desde")


@pytest.mark.usefixtures("middleware")
@pytest.mark.parametrize("portal", ["en", "de"])
def test_problems_are_english_but_for_their_titles(
    root: Caller, settings: Any, portal: str
) -> None:
    settings.LANGUAGE_CODE = portal

    for method, address, body in (
        ("GET", "customers/nobody/", None),
        ("GET", "customers/?limit=0", None),
        ("GET", "customers/nothing/at/all/", None),
        ("POST", "customers/acme/reset/", {}),
        ("POST", "customers/acme/check/", {"document": ""}),
        ("POST", "customers/", {"customer": "acme"}),
        ("PUT", "customers/acme/pin/", {"priority": 0, "until": "x", "reason": ""}),
        ("DELETE", "stats/", None),
    ):
        told = [
            root.request(method, address, body or b"", headers={"Accept-Language": language})
            for language in ("en", "de", "pl")
        ]
        assert told[0].status_code >= 400
        assert len({answer.json()["title"] for answer in told}) > 1, address
        assert len({repr(answer.json() | {"title": ""}) for answer in told}) == 1, address
        assert [answer["Content-Language"] for answer in told] == ["en", "de, en", "pl, en"]

    for language, titles in {
        "en": ["Not Found", "Conflict", "Bad Request"],
        "de": ["Nicht gefunden", "Konflikt", "Ungültige Anfrage"],
        "es": ["No encontrado", "Conflicto", "Solicitud incorrecta"],
        "pl": ["Nie znaleziono", "Konflikt", "Nieprawidłowe żądanie"],
        "pt": ["Não encontrado", "Conflito", "Pedido inválido"],
    }.items():
        asked = {"Accept-Language": language}
        answers = (
            root.get("customers/nobody/", headers=asked),
            root.post("customers/", {"customer": "acme"}, headers=asked),
            root.post("customers/acme/reset/", {}, headers=asked),
        )
        assert [answer.json()["title"] for answer in answers] == titles
        assert all("Accept-Language" in answer["Vary"] for answer in answers)
        nobody = Caller().get("stats/", headers=asked).json()
        assert nobody["detail"] == "Authentication credentials were not provided."
