"""What Django says around our pages is said as people say it, in each language."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from doc_priority import services
from doc_priority.models import Event
from tests.admin.lists import text_of
from tests.factories import CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db

NEW = {
    "en": ("New customer", "New policy"),
    "de": ("Neuer Kunde", "Neue Richtlinie"),
    "es": ("Nuevo cliente", "Nueva política"),
    "pl": ("Nowy klient", "Nowa polityka"),
    "pt": ("Novo cliente", "Nova política"),
}
ANOTHER = {
    "en": ("Add another policy", "Change the selected policy"),
    "de": ("Weitere Richtlinie hinzufügen", "Ausgewählte Richtlinie ändern"),
    "es": ("Añadir otra política", "Cambiar la política seleccionada"),
    "pl": ("Dodaj kolejną politykę", "Zmień wybraną politykę"),
    "pt": ("Adicionar outra política", "Alterar a política selecionada"),
}
SEARCH = {"en": "Search", "de": "Suchen", "es": "Buscar", "pl": "Szukaj", "pt": "Pesquisar"}
SOURCES = {
    "en": ("admin pages", "REST API", "command line"),
    "de": ("Verwaltungsseiten", "REST-API", "Kommandozeile"),
    "es": ("páginas de administración", "API REST", "línea de comandos"),
    "pl": ("strony administracyjne", "REST API", "wiersz poleceń"),
    "pt": ("páginas de administração", "API REST", "linha de comandos"),
}
LINK = re.compile(r'<a [^>]*class="addlink[^>]*>.*?</a>', re.DOTALL)

each_language = pytest.mark.parametrize("language", NEW)


def page(admin: Client, name: str, language: str, *arguments: int) -> str:
    address = reverse(f"admin:doc_priority_{name}", args=arguments)
    return admin.get(address, headers={"accept-language": language}).content.decode()


@each_language
def test_the_button_for_a_new_one_inflects_nothing(admin: Client, language: str) -> None:
    for name, title in zip(("customer", "policy"), NEW[language], strict=True):
        links = LINK.findall(page(admin, f"{name}_changelist", language))
        assert any(title in link for link in links), links
        assert len(links) < 2 or title in links[-1]


@each_language
def test_the_links_beside_the_policy_inflect_nothing(admin: Client, language: str) -> None:
    customer = CustomerFactory.create(policy=PolicyFactory.create())
    found = re.findall(r'title="([^"]*)"', page(admin, "customer_change", language, customer.pk))
    assert set(ANOTHER[language]) <= set(found)


@pytest.mark.plain
@each_language
def test_the_picture_of_a_search_has_a_word(admin: Client, language: str) -> None:
    for name in ("customer", "policy", "event"):
        shown = page(admin, f"{name}_changelist", language)
        assert re.findall(r'<img [^>]*alt="([^"]+)"', shown)[:1] == [SEARCH[language]]


@each_language
def test_where_an_event_came_from_is_translated(admin: Client, language: str) -> None:
    services.create_customer("acme")
    for source in ("admin", "api", "command", "nightly-job"):
        services.reset("acme", reason="x", source=source)

    listed = page(admin, "event_changelist", language)
    for source in (*SOURCES[language], "nightly-job"):
        assert f"<bdi>{source}</bdi>" in listed
    by_command = Event.objects.get(source="command")
    response = admin.get(
        reverse("admin:doc_priority_event_change", args=[by_command.pk]),
        headers={"accept-language": language},
    )
    assert SOURCES[language][2] in text_of(response)
