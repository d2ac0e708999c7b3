"""Words and numbers as each language says them, also those that Django or a service gives us."""

import inspect
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from doc_priority import exceptions, services
from doc_priority.admin import refusals
from doc_priority.admin.charts import level_chart
from doc_priority.admin.dashboard import counts_of
from doc_priority.exceptions import DocPriorityError
from doc_priority.explanations import numeral
from doc_priority.models import Customer, Event
from doc_priority.selectors import Overview
from doc_priority.testing import set_pending_documents
from tests.admin.conftest import text_of
from tests.factories import CustomerFactory
from tests.translations import LANGUAGES

pytestmark = pytest.mark.django_db


def page(admin: Client, name: str, language: str, *arguments: int) -> Any:
    address = reverse(f"admin:doc_priority_{name}", args=arguments)
    return admin.get(address, headers={"accept-language": language})


@pytest.mark.parametrize("groups", [True, False])
def test_numbers_are_grouped_as_the_language_does_whatever_the_portal_groups(
    admin: Client, settings: Any, groups: bool
) -> None:
    settings.USE_THOUSAND_SEPARATOR = groups
    set_pending_documents("acme", -1_234_567)
    acme = Customer.objects.get().pk
    many = Overview(dict.fromkeys(range(1, 10), 1_234_567), counting=1_234_567, pinned=0)
    for language, grouped, documents in (
        ("en", "1,234,567", "documents since"),
        ("de", "1.234.567", "Dokumente seit"),
        ("es", "1\xa0234\xa0567", "documentos desde"),
        ("pl", "1\xa0234\xa0567", "dokumentów od"),
        ("pt", "1.234.567", "documentos desde"),
    ):
        with translation.override(language):
            assert [numeral(-1_234_567), numeral(-13)] == [f"−{grouped}", "−13"]
            bars, counts = level_chart(many)["bars"], counts_of(many)
        assert {bar["customers"] for bar in bars} == {grouped}
        assert all(grouped in bar["label"] for bar in bars)
        assert (counts["counting"], counts["pinned"]) == (grouped, "0")

        spaced = grouped.replace("\xa0", " ")
        shown = text_of(page(admin, "customer_change", language, acme))
        assert f"−{spaced}" in shown
        assert f"{spaced} {documents}" in shown
        live = admin.get(
            f"{reverse('admin:doc_priority_customer_live')}?live={acme}",
            headers={"accept-language": language},
        )
        assert live.json()["rows"][str(acme)]["pending_documents"] == f"−{grouped}"


def test_titles_are_in_good_grammar(admin: Client) -> None:
    """Django's own "Select customer to change" would need the noun in another case in Polish."""
    customer = CustomerFactory.create()
    for language, *titles in (
        ("en", "Customers", "Customer", "New customer"),
        ("de", "Kunden", "Kunde", "Neuer Kunde"),
        ("pl", "Klienci", "Klient", "Nowy klient"),
    ):
        for name, title in zip(("changelist", "change", "add"), titles, strict=True):
            arguments = (customer.pk,) if name == "change" else ()
            shown = page(admin, f"customer_{name}", language, *arguments)
            assert str(shown.context["title"]) == title, language


def test_where_an_event_came_from_is_translated(admin: Client) -> None:
    services.create_customer("acme")
    for source in ("admin", "api", "command", "nightly-job"):
        services.reset("acme", reason="x", source=source)
    by_command = Event.objects.get(source="command")
    for language, *sources in (
        ("en", "admin pages", "REST API", "command line"),
        ("de", "Verwaltungsseiten", "REST-API", "Kommandozeile"),
        ("pl", "strony administracyjne", "REST API", "wiersz poleceń"),
    ):
        listed = page(admin, "event_changelist", language).content.decode()
        for source in (*sources, "nightly-job"):
            assert f"<bdi>{source}</bdi>" in listed, source
        assert sources[2] in text_of(page(admin, "event_change", language, by_command.pk))


def test_no_refusal_is_told_in_the_words_for_programs() -> None:
    """Each kind of error that a form can meet has a sentence that says what to do."""

    def told(error: type[DocPriorityError], language: str = "en") -> str:
        with translation.override(language):
            return refusals.in_words(error("Said to programs"))

    errors = {
        error
        for error in vars(exceptions).values()
        if inspect.isclass(error) and issubclass(error, DocPriorityError)
    }
    for error in errors:
        sentences = {told(error, language) for language in ("en", *LANGUAGES)}
        assert len(sentences) == 1 + len(LANGUAGES), error
        assert "Said to programs" not in " ".join(sentences), error

    # What nobody raises itself, and what only checks, queues and programs can meet.
    anything_else = told(DocPriorityError)
    assert {error for error in errors if told(error) == anything_else} == {
        exceptions.DocPriorityError,
        exceptions.InvalidInput,
        exceptions.InvalidDocument,
        exceptions.UnknownEngine,
        exceptions.TaskPrioritizedOtherwise,
        exceptions.TransportWithoutPriorities,
        exceptions.EventIsWritten,
    }
    for error, remedy in {
        exceptions.CounterBusy: "Try again",
        exceptions.TransactionConflict: "Try again",
        exceptions.PolicyExists: "use another name",
        exceptions.PolicyNotFound: "deleted in the meantime",
        exceptions.PolicyInUse: "another policy first",
        exceptions.InvalidText: "Enter it again",
        exceptions.InvalidPolicy: "eight falling thresholds",
    }.items():
        assert remedy in told(error), error
