"""The words of the trade are the company's own, in every language and wherever they stand."""

import re

import pytest

from tests.project.catalogues import Message, read
from tests.translations import LANGUAGES, PACKAGES

GLOSSARY: dict[str, dict[str, str]] = {
    "pending documents": {
        "de": "Ausstehende Dokumente",
        "es": "Documentos pendientes",
        "pl": "Oczekujące dokumenty",
        "pt": "Documentos pendentes",
    },
    "reset interval": {
        "de": "Zurücksetzintervall",
        "es": "Intervalo de restablecimiento",
        "pl": "Interwał resetowania",
        "pt": "Intervalo de redefinição",
    },
    "document priority system": {
        "de": "Dokumenten-Prioritätssystem",
        "es": "Sistema de prioridad de documentos",
        "pl": "System priorytetów dokumentów",
        "pt": "Sistema de prioridade de documentos",
    },
}
FORMS: dict[tuple[str, str], tuple[str, ...]] = {
    ("pending documents", "de"): (
        "ausstehende dokumente",
        "ausstehendes dokument",
    ),
    ("pending documents", "es"): ("documentos pendientes", "documento pendiente"),
    ("pending documents", "pl"): (
        "oczekujące dokumenty",
        "oczekujący dokument",
        "oczekujących dokumentów",
        "oczekującego dokumentu",
    ),
    ("pending documents", "pt"): ("documentos pendentes", "documento pendente"),
}
"""How a sentence bends a term; a term that is not here stays as it is."""

FORBIDDEN = {
    "de": ("anstehend", "Rücksetzintervall", "wartende Dokumente", "Reset-Intervall"),
    "es": (
        "intervalo de reinicio",
        "intervalo de reposición",
        "quién puede ser",
        "contando ahora",
        "de los documentos enviados",
    ),
    "pl": ("okres resetu", "interwał resetu ", "zaległe dokumenty"),
    "pt": (
        "intervalo de reposição",
        "intervalo de reinício",
        "reposição",
        "quem pode ser",
        "em contagem agora",
        "dos documentos enviados",
    ),
}
"""What somebody might say instead, word for word from the English."""

SAME_AS_ENGLISH = {
    "de": {"Status", "Token", "in Python:"},
    "es": {"Error", "Error:", "Token", "error", "no"},
    "pl": {"Token", "reset"},
    "pt": {"Token"},
}
WITHOUT_WORDS = re.compile(r"^(?:%\(\w+\)[sd]|[^\w]|\d|d|h|min|s|REST|API)*$")

every_language = pytest.mark.parametrize("language", LANGUAGES)


def messages(language: str) -> list[Message]:
    return [
        message
        for package in PACKAGES
        for key, message in read(package.catalogue(language)).items()
        if key
    ]


@every_language
@pytest.mark.parametrize("term", GLOSSARY)
def test_a_term_is_the_companys(term: str, language: str) -> None:
    translations = {
        translation
        for message in messages(language)
        if message.sources[0].casefold() == term
        for translation in message.translations
    }
    assert translations
    assert {one[0].upper() + one[1:] for one in translations} == {GLOSSARY[term][language]}


@every_language
@pytest.mark.parametrize("term", GLOSSARY)
def test_a_sentence_with_a_term_has_it_translated(term: str, language: str) -> None:
    forms = FORMS.get((term, language), (GLOSSARY[term][language].casefold(),))
    said = re.compile(rf"\b{term.removesuffix('s')}", re.IGNORECASE)
    found = [message for message in messages(language) if said.search(message.sources[0])]
    assert found
    for message in found:
        for translation in message.translations:
            assert any(form in translation.casefold() for form in forms), translation


@every_language
def test_no_other_word_is_used_for_a_term(language: str) -> None:
    for message in messages(language):
        for translation in message.translations:
            wrong = re.search(rf"\b(?:{'|'.join(FORBIDDEN[language])})", translation, re.IGNORECASE)
            assert wrong is None, translation


@every_language
def test_nothing_is_left_in_english(language: str) -> None:
    left = {
        source
        for message in messages(language)
        for source in message.sources
        if source in message.translations and not WITHOUT_WORDS.match(source)
    }
    assert left == SAME_AS_ENGLISH[language]
