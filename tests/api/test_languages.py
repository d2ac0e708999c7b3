"""The explanation and titles in the language somebody asks for; else problems are English."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import translation

from doc_priority import services
from doc_priority.testing import frozen_time
from tests.api.conftest import Caller

pytestmark = pytest.mark.django_db

GERMAN = (
    "13 Dokumente seit 2030-01-31 09:41 UTC bringen Acme von Priorität 1 auf 7. "
    "Ohne neues Dokument gilt ab 2030-01-31 10:06 UTC wieder Priorität 1."
)


@pytest.fixture(autouse=True)
def acme() -> Iterator[None]:
    with frozen_time(datetime(2030, 1, 31, 9, 41, tzinfo=UTC)):
        services.create_customer("acme", name="Acme")
        services.check_many(["acme"] * 14)
        yield


@pytest.fixture(params=[True, False], ids=["LocaleMiddleware", "none"])
def middleware(request: pytest.FixtureRequest, settings: Any) -> None:
    """With Django's LocaleMiddleware and without it."""
    if not request.param:
        settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if "Locale" not in one]


def explained(root: Caller, asked: str) -> str:
    answer = root.get("customers/acme/", headers={"Accept-Language": asked})
    explanation: str = answer.json()["explanation"]
    return explanation


@pytest.mark.usefixtures("middleware")
def test_the_explanation_is_in_the_language_asked_for(root: Caller) -> None:
    explanations = {
        "en": (
            "13 documents since 2030-01-31 09:41 UTC bring Acme from 1 to 7. "
            "Without a new document it is back at 1 at 2030-01-31 10:06 UTC."
        ),
        "de": GERMAN,
        "es": (
            "Desde el inicio del recuento (2030-01-31 09:41 UTC), 13 documentos llevan a Acme "
            "de la prioridad 1 a la 7. "
            "Sin documentos nuevos, la prioridad volverá a ser 1 "
            "(momento previsto: 2030-01-31 10:06 UTC)."
        ),
        "pl": (
            "13 dokumentów od 2030-01-31 09:41 UTC przesuwa klienta Acme z priorytetu 1 na 7. "
            "Jeśli nie nadejdzie nowy dokument, priorytet znów będzie wynosił 1 "
            "od 2030-01-31 10:06 UTC."
        ),
        "pt": (
            "Desde o início da contagem (2030-01-31 09:41 UTC), 13 documentos levam Acme "
            "da prioridade 1 para a 7. "
            "Sem novos documentos, a prioridade será novamente 1 "
            "(momento previsto: 2030-01-31 10:06 UTC)."
        ),
    }

    for asked, language in (
        *((language, language) for language in explanations),
        *(("de-AT", "de"), ("es-MX", "es"), ("pt-BR", "pt"), ("PL", "pl"), ("en-GB", "en")),
        *(("pl;q=0.3, de;q=0.9, es;q=0.5", "de"), ("de;q=0, es", "es"), ("tlh, pt;q=0.1", "pt")),
        *(("tlh", "en"), ("*", "en"), ("", "en"), ("de" * 500, "en")),
        ("\u20ac;q=\u00e4, ;;;,q", "en"),
    ):
        assert explained(root, asked) == explanations[language], asked
        answer = root.get("customers/", headers={"Accept-Language": asked})
        (listed,) = answer.json()["results"]
        assert listed["explanation"] == explanations[language], asked


def test_whoever_changes_or_makes_a_customer_is_told_in_their_language(root: Caller) -> None:
    asked = {"Accept-Language": "de"}

    changed = root.patch("customers/acme/", {"name": "Acme"}, headers=asked).json()
    made = root.post("customers/", {"customer": "new"}, headers=asked).json()

    assert changed["explanation"] == GERMAN
    assert made["explanation"] == "new hat Priorität 1: Bisher wurde kein Dokument gezählt."


def test_only_languages_of_the_portal_are_spoken_and_its_own_without_a_wish(
    root: Caller, settings: Any
) -> None:
    settings.LANGUAGE_CODE = "pl"
    explanation = root.get("customers/acme/").json()["explanation"]
    assert explanation.startswith("13 dokumentów")
    assert explained(root, "en").startswith("13 documents")

    settings.LANGUAGES = [("en", "English"), ("es", "Spanish")]
    assert explained(root, "de, es;q=0.5").startswith("Desde el inicio")


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


@pytest.mark.usefixtures("middleware")
def test_the_title_is_in_the_language_asked_for(root: Caller) -> None:
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


def test_without_signing_in_the_problem_is_english() -> None:
    for asked in ("de", "en"):
        answer = Caller().get("customers/", headers={"Accept-Language": asked})
        assert answer.json()["detail"] == "Authentication credentials were not provided."


def test_the_language_of_the_thread_stays(root: Caller, settings: Any) -> None:
    """It serves a call and then something else of the portal."""
    settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if "Locale" not in one]

    with translation.override("pl"):
        assert explained(root, "de") == GERMAN
        assert root.get("customers/nobody/").status_code == 404
        assert translation.get_language() == "pl"
