"""The same sentences in the other languages, with their plurals."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils.translation import override

from doc_priority import services
from doc_priority.explanations import explain
from doc_priority.models import Customer

pytestmark = pytest.mark.django_db

MORNING = datetime(2026, 3, 2, 9, 41, tzinfo=UTC)


def explained(language: str, *, documents: int) -> str:
    """What is said about Acme after so many documents and the one that began."""
    services.create_customer("acme", name="Acme")
    services.check_many(["acme"] * (1 + documents), at=MORNING)
    live = Customer.objects.live(MORNING + timedelta(minutes=1))
    with override(language):
        return explain(
            live.select_related("counter", "policy").get(), shown=lambda moment: f"{moment:%H:%M}"
        )


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "de",
            "13 Dokumente seit 09:41 bringen Acme von Priorität 1 auf 7. "
            "Ohne neues Dokument gilt ab 10:06 wieder Priorität 1.",
        ),
        (
            "es",
            "Desde el inicio del recuento (09:41), 13 documentos llevan a Acme "
            "de la prioridad 1 a la 7. "
            "Sin documentos nuevos, la prioridad volverá a ser 1 (momento previsto: 10:06).",
        ),
        (
            "pl",
            "13 dokumentów od 09:41 przesuwa klienta Acme z priorytetu 1 na 7. "
            "Jeśli nie nadejdzie nowy dokument, priorytet znów będzie wynosił 1 od 10:06.",
        ),
        (
            "pt",
            "Desde o início da contagem (09:41), 13 documentos levam Acme "
            "da prioridade 1 para a 7. "
            "Sem novos documentos, a prioridade será novamente 1 (momento previsto: 10:06).",
        ),
    ],
)
def test_in_each_language(language: str, sentences: str) -> None:
    assert explained(language, documents=13) == sentences


@pytest.mark.parametrize(
    ("language", "documents", "beginning"),
    [
        ("de", 1, "1 Dokument seit 09:41 lässt"),
        ("de", 2, "2 Dokumente seit 09:41 lassen"),
        ("es", 1, "Desde el inicio del recuento (09:41), 1 documento deja"),
        ("es", 2, "Desde el inicio del recuento (09:41), 2 documentos dejan"),
        ("pl", 1, "1 dokument od 09:41 pozostawia"),
        ("pl", 2, "2 dokumenty od 09:41 pozostawiają"),
        ("pl", 5, "5 dokumentów od 09:41 przesuwa"),
        ("pl", 12, "12 dokumentów od 09:41 przesuwa"),
        ("pl", 21, "21 dokumentów od 09:41 przesuwa"),
        ("pl", 22, "22 dokumenty od 09:41 przesuwają"),
        ("pt", 1, "Desde o início da contagem (09:41), 1 documento deixa"),
        ("pt", 2, "Desde o início da contagem (09:41), 2 documentos deixam"),
    ],
)
def test_plurals(language: str, documents: int, beginning: str) -> None:
    assert explained(language, documents=documents).startswith(f"{beginning} ")


def test_a_language_we_do_not_have_is_english() -> None:
    assert explained("fi", documents=13).startswith("13 documents since 09:41 bring Acme")
