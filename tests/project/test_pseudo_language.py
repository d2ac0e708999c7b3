"""No page shows a word that is not marked for translation, or that one language does not have."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import django
import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client as Browser
from django.utils import translation
from django.utils.dates import MONTHS, MONTHS_3, MONTHS_AP

from example_project import settings as portal
from tests.project.pages import ADMIN, EMPTY, PORTAL
from tests.project.pseudo_language import CODE, said_by, unmarked, write_catalogue
from tests.project.walk import Step, fill, page_of
from tests.translations import LANGUAGES

pytestmark = [
    pytest.mark.sqlite,
    pytest.mark.plain,
    pytest.mark.django_db,
    pytest.mark.urls("example_project.urls"),
]

DATA = re.compile(r"\b(?:document-\d+\.pdf|CES?T)\b")
"""Names that the portal makes up, and the time zone of the tests."""

UNITS = {f"%(count)s {unit}" for unit in ("d", "h", "min", "s")}
ALIKE_EVERYWHERE = UNITS | {"Token", "a.m.", "p.m."}
ALIKE = {
    "de": {"Filter", "Status", "in Python:"},
    "es": {"Error:", "No", "error", "no"},
    "pl": {"REST API", "reset"},
    "pt": set[str](),
}
"""What is the same word as in English; anything else is a gap in a catalogue."""


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every language has of us, of Django and of the other apps, each between marks."""
    folder = tmp_path_factory.mktemp("locale")
    write_catalogue(folder, set.intersection(*map(said_in, LANGUAGES)))
    return folder


def said_in(language: str) -> set[str]:
    folders = (Path(str(app.path)) for app in apps.get_app_configs())
    places = [*folders, Path(django.__file__).parent / "conf"]
    models = (place / "locale" / language / "LC_MESSAGES" / "django.mo" for place in places)
    alike = ALIKE[language] | ALIKE_EVERYWHERE | _names_of_months()
    return said_by(filter(Path.exists, models), alike=alike)


@pytest.fixture
def browser(catalogue: Path, settings: Any, portal_settings: None) -> Browser:
    """Of somebody with all permissions, who reads the pseudo language."""
    settings.LOCALE_PATHS = [catalogue]
    settings.LANGUAGES = [(CODE, "⟦0⟧")]
    settings.LANGUAGE_CODE = CODE
    return signed_in(User.objects.create_superuser("⟦0⟧"))


@pytest.fixture
def portal_settings(settings: Any) -> None:
    for name in ("LOGIN_URL", "LOGIN_REDIRECT_URL", "REST_KNOX", "TASKS"):
        setattr(settings, name, getattr(portal, name))


def _names_of_months() -> set[str]:
    """Some are called alike; Django's formats of dates are no messages."""
    with translation.override("en"):
        return {str(name) for names in (MONTHS, MONTHS_3, MONTHS_AP) for name in names.values()}


def signed_in(user: User) -> Browser:
    browser = Browser()
    browser.force_login(user)
    return browser


def walked(browser: Browser, steps: Mapping[str, Step]) -> dict[str, list[str]]:
    """Where something is shown that is not marked."""
    found = {name: unmarked(DATA.sub("", page_of(step(browser)))) for name, step in steps.items()}
    return {name: texts for name, texts in found.items() if texts}


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<p>⟦all⟧ 12 – ⟦of it⟧</p>", []),
        ("<p>⟦all <b>of</b> it⟧</p>", []),
        ("<p>⟦a⟧ word</p>", ["word"]),
        ("<p>⟦a ⟦nested⟧ message⟧ here</p>", ["here"]),
        ('<img alt="word"><input type="submit" value="go"><input value="typed">', ["word", "go"]),
        ('<html lang="ia"><i lang="pl">słowo</i> <code>word</code> after', ["after"]),
        ('<div class="dp-polling" data-pause="Pause" data-url="/live/"></div>', ["Pause"]),
    ],
)
def test_what_is_not_marked_is_found(page: str, found: list[str]) -> None:
    """Else the tests below would say nothing."""
    assert unmarked(page) == found


def test_pages_with_nothing_on_them(browser: Browser) -> None:
    assert walked(browser, EMPTY) == {}


def test_pages_of_the_admin(browser: Browser) -> None:
    fill()
    assert walked(browser, ADMIN) == {}


def test_pages_of_the_portal(browser: Browser) -> None:
    fill()
    assert walked(browser, PORTAL) == {}
