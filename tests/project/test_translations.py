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
from tests.translations import LANGUAGES, PACKAGE, catalogue, update

REMEDY = "run `make translations`, translate what is new, run it again"
PROGRAMS = ("xgettext", "msguniq", "msgmerge", "msgattrib", "msgfmt")
MISSING = ", ".join(program for program in PROGRAMS if shutil.which(program) is None)

every_language = pytest.mark.parametrize("language", LANGUAGES)


def committed(language: str) -> Catalogue:
    return read(catalogue(PACKAGE, language))


@pytest.fixture(scope="module")
def updated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, after what `make translations` does."""
    if MISSING:
        pytest.skip(f"{MISSING} not installed (Debian: apt install gettext)")
    copy = tmp_path_factory.mktemp("translations") / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    update(copy)
    return copy


def test_there_is_a_catalogue_for_each_language() -> None:
    assert {path.name for path in (PACKAGE / "locale").iterdir()} == set(LANGUAGES)


@every_language
def test_the_catalogue_has_what_the_code_says(language: str, updated: Path) -> None:
    here, asked_for = committed(language), read(catalogue(updated, language))
    assert sorted(asked_for.keys() - here.keys()) == [], f"new: {REMEDY}"
    assert sorted(here.keys() - asked_for.keys()) == [], f"no longer used: {REMEDY}"
    assert here == asked_for, REMEDY


@every_language
def test_everything_is_translated(language: str) -> None:
    messages = committed(language)
    forms = plural_forms(messages)
    for message in messages.values():
        assert "fuzzy" not in message.flags, f"a guess, to be looked at: {message.sources}"
        assert all(message.translations), f"to be translated: {message.sources}"
        assert len(message.translations) == (forms if len(message.sources) == 2 else 1)


@every_language
def test_placeholders_stay_as_they_are(language: str) -> None:
    for key, message in committed(language).items():
        for translation in message.translations if key else ():
            assert placeholders(translation) == placeholders(message.sources[-1]), translation


@every_language
def test_nothing_is_kept_that_changes_by_itself(language: str) -> None:
    text = catalogue(PACKAGE, language).read_text(encoding="utf-8")
    assert "-Date:" not in text
    assert "\n#: " not in text
    assert "\n#~ " not in text


@every_language
def test_what_is_compiled_is_the_catalogue(language: str) -> None:
    compiled = read_compiled(catalogue(PACKAGE, language).with_suffix(".mo"))
    assert compiled == {
        key: "\0".join(message.translations) for key, message in committed(language).items()
    }, REMEDY
