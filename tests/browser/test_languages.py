"""Every word of the pages is in the reader's language."""

import pytest
from django.contrib.auth.models import User
from django.utils import translation
from django.utils.translation import gettext, ngettext

from tests.admin.customers import at_priority
from tests.browser.admin_page import LIST, AdminPage

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

LANGUAGES = ("es", "pl", "pt", "de")


def translated(text: str, language: str) -> str:
    """Something else than the English text."""
    with translation.override(language):
        found = gettext(text)
    assert found != text
    return found


def says(admin: AdminPage, text: str, selector: str) -> None:
    """The page does there, or will soon, whatever its style makes of the case of letters."""

    def is_said() -> bool:
        return text.casefold() in " ".join(admin.contents(selector).split()).casefold()

    admin.until(is_said, f"{selector} never is “{text}”.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_way_to_a_reset_is_translated(admin: AdminPage, language: str) -> None:
    def expect(text: str, selector: str) -> None:
        says(admin, translated(text, language), selector)

    acme = at_priority(7, key="acme")
    admin.sign_in(User.objects.create_superuser("maria"))
    admin.speak(language)

    admin.visit(LIST)
    admin.shows(acme, priority="7")
    assert admin.script("return document.documentElement.lang") == language
    for column in ("priority", "pending documents", "resets in", "last update"):
        expect(column, "#result_list thead")
    for action in ("Reset priority…", "Pin priority…", "Unpin priority…", "Export as CSV"):
        expect(action, 'select[name="action"]')
    expect("Pause", ".dp-pause")
    expect("Customers", "title")

    admin.tick(acme)
    admin.run_action("reset_priority")
    expect("Reset priority?", "title")
    expect("Reset priority", ".dp-main")
    expect("Reason", ".dp-correcting label")
    admin.type("#id_reason", "Ω")
    admin.click(".dp-main")
    with translation.override(language):
        said = ngettext("%(count)s customer was reset.", "%(count)s customers were reset.", 1)
    assert said != "%(count)s customer was reset."
    admin.says(said % {"count": 1})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_has_its_title_translated(admin: AdminPage, language: str) -> None:
    admin.sign_in(User.objects.create_superuser("maria"))
    admin.speak(language)

    for name, title in {
        "dashboard": "Dashboard",
        "rule": "How priorities work",
        "policy_changelist": "Policies",
        "event_changelist": "Events",
    }.items():
        admin.visit(f"doc_priority_{name}")
        says(admin, translated(title, language), "title")
