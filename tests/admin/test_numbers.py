"""Numbers are grouped as the reader's language groups them, whatever the portal groups."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from doc_priority.admin.charts import level_chart
from doc_priority.admin.dashboard import counts_of
from doc_priority.models import Customer
from doc_priority.numerals import numeral
from doc_priority.selectors import Overview
from doc_priority.testing import set_pending_documents
from tests.admin.lists import CUSTOMERS, text_of

GROUPED = {
    "en": "1,234,567",
    "de": "1.234.567",
    "es": "1\xa0234\xa0567",
    "pl": "1\xa0234\xa0567",
    "pt": "1.234.567",
}
DOCUMENTS = {
    "en": "documents since",
    "de": "Dokumente seit",
    "es": "documentos llevan",
    "pl": "dokumentów od",
    "pt": "documentos levam",
}

each_language = pytest.mark.parametrize("language", GROUPED)
either_way = pytest.mark.parametrize("groups", [True, False])


def spaced(number: str) -> str:
    """As `text_of` has the spaces of a page."""
    return number.replace("\xa0", " ")


@each_language
@either_way
def test_a_number_is_written_as_the_language_writes_it(
    settings: Any, language: str, groups: bool
) -> None:
    settings.USE_THOUSAND_SEPARATOR = groups
    with translation.override(language):
        assert numeral(1_234_567) == GROUPED[language]
        assert numeral(-1_234_567) == f"−{GROUPED[language]}"
        assert numeral(-13) == "−13"


@pytest.mark.django_db
@each_language
@either_way
def test_counts_in_cells_and_sentences(
    admin: Client, settings: Any, language: str, groups: bool
) -> None:
    settings.USE_THOUSAND_SEPARATOR = groups
    set_pending_documents("acme", -1_234_567)
    pk = Customer.objects.get().pk
    asked = {"headers": {"accept-language": language}}
    number = spaced(GROUPED[language])

    shown = admin.get(reverse(CUSTOMERS), **asked)
    assert f"−{number}" in text_of(shown)
    (cells,) = (
        admin.get(f"{reverse('admin:doc_priority_customer_live')}?live={pk}", **asked)
        .json()["rows"]
        .values()
    )
    assert spaced(cells["pending_documents"]) == f"−{number}"
    page = text_of(admin.get(reverse("admin:doc_priority_customer_change", args=[pk]), **asked))
    assert f"−{number}" in page
    assert f"{number} {DOCUMENTS[language]}" in page


@each_language
def test_how_many_customers_there_are(language: str) -> None:
    many = Overview(dict.fromkeys(range(1, 10), 1_234_567), counting=1_234_567, pinned=0)
    with translation.override(language):
        chart = level_chart(many)
        shown = counts_of(many)
    assert {bar.customers for bar in chart.bars} == {GROUPED[language]}
    assert all(GROUPED[language] in bar.label for bar in chart.bars)
    assert (shown["counting"], shown["pinned"]) == (GROUPED[language], "0")
