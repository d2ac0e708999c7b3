"""The catalogues say what the code says, all of it, and are compiled."""

import shutil
from pathlib import Path

import pytest

from tests.project.catalogues import (
    Catalogue,
    placeholders,
    plural_forms,
    read,
    read_compiled,
)
from tests.settings import BASE_DIR
from tests.translations import DOC_PRIORITY, LANGUAGES, PACKAGES, PORTAL, Package, update

REMEDY = "run `make translations`, translate what is new, run it again"
PROGRAMS = ("xgettext", "msguniq", "msgmerge", "msgattrib", "msgfmt")
MISSING = ", ".join(program for program in PROGRAMS if shutil.which(program) is None)

every_language = pytest.mark.parametrize("language", LANGUAGES)
every_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)


def committed(package: Package, language: str) -> Catalogue:
    return read(package.catalogue(language))


@pytest.fixture(scope="module")
def updated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages, after what `make translations` does."""
    if MISSING:
        pytest.skip(f"{MISSING} not installed (Debian: apt install gettext)")
    root = tmp_path_factory.mktemp("translations")
    for package in PACKAGES:
        for source in (package.folder, *package.pages):
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(BASE_DIR / source, root / source, ignore=ignore)
        update(package, root)
    return root


@every_package
def test_there_is_a_catalogue_for_each_language(package: Package) -> None:
    assert {path.name for path in package.locale(BASE_DIR).iterdir()} == set(LANGUAGES)


@every_package
@every_language
def test_the_catalogue_has_what_the_code_says(
    package: Package, language: str, updated: Path
) -> None:
    here, asked_for = committed(package, language), read(package.catalogue(language, updated))
    assert sorted(asked_for.keys() - here.keys()) == [], f"new: {REMEDY}"
    assert sorted(here.keys() - asked_for.keys()) == [], f"no longer used: {REMEDY}"
    assert here == asked_for, REMEDY


@every_package
@every_language
def test_everything_is_translated(package: Package, language: str) -> None:
    messages = committed(package, language)
    forms = plural_forms(messages)
    for message in messages.values():
        assert "fuzzy" not in message.flags, f"a guess, to be looked at: {message.sources}"
        assert all(message.translations), f"to be translated: {message.sources}"
        assert len(message.translations) == (forms if len(message.sources) == 2 else 1)


@every_package
@every_language
def test_placeholders_stay_as_they_are(package: Package, language: str) -> None:
    for key, message in committed(package, language).items():
        for translation in message.translations if key else ():
            assert placeholders(translation) == placeholders(message.sources[-1]), translation


@every_package
@every_language
def test_nothing_is_kept_that_changes_by_itself(package: Package, language: str) -> None:
    text = package.catalogue(language).read_text(encoding="utf-8")
    assert "-Date:" not in text
    assert "\n#: " not in text
    assert "\n#~ " not in text


@every_package
@every_language
def test_what_is_compiled_is_the_catalogue(package: Package, language: str) -> None:
    compiled = read_compiled(package.catalogue(language).with_suffix(".mo"))
    assert compiled == {
        key: "\0".join(message.translations)
        for key, message in committed(package, language).items()
    }, REMEDY


@every_language
def test_what_both_say_they_say_alike(language: str) -> None:
    """Django asks one catalogue for what stands in both."""
    ours, the_portals = committed(DOC_PRIORITY, language), committed(PORTAL, language)
    for key in ours.keys() & the_portals.keys() - {""}:
        assert ours[key].translations == the_portals[key].translations, key
