"""The catalogues say what the code says, all of it, and are compiled."""

import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from tests.settings import BASE_DIR
from tests.translations import LANGUAGES, PACKAGES, Package, update

REMEDY = "run `make translations`, translate what is new, run it again"
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)


class Message(NamedTuple):
    """What the code says, with its plural if there is one, and what the catalogue says instead."""

    sources: tuple[str, ...]
    translations: tuple[str, ...]
    is_guess: bool = False


def read(path: Path) -> dict[str, Message]:
    """The messages of a `.po` or `.mo` file, by the keys that gettext has for them."""
    with path.open("rb") as file:
        catalog = read_mo(file) if path.suffix == ".mo" else read_po(file)
    found = {}
    for one in catalog:
        sources, translations = (
            (text,) if isinstance(text, str) else tuple(text) for text in (one.id, one.string)
        )
        # From a `.mo` file Babel gives a context as bytes.
        context = one.context.decode() if isinstance(one.context, bytes) else one.context
        key = "\0".join(sources) if context is None else f"{context}\x04{sources[0]}"
        if key:  # The empty one is the header.
            found[key] = Message(sources, translations, one.fuzzy)
    return found


def committed(package: Package, language: str) -> dict[str, Message]:
    return read(package.catalogue(language))


@each_package
def test_the_catalogues_have_what_the_code_says(package: Package, tmp_path: Path) -> None:
    """A copy of the package has the same after what `make translations` does."""
    programs = ("xgettext", "msguniq", "msgmerge", "msgattrib", "msgfmt")
    missing = ", ".join(program for program in programs if shutil.which(program) is None)
    if missing:
        pytest.skip(f"{missing} not installed (Debian: apt install gettext)")
    for source in (package.folder, *package.pages):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(BASE_DIR / source, tmp_path / source, ignore=ignore)
    update(package, tmp_path)

    assert {path.name for path in package.locale(BASE_DIR).iterdir()} == set(LANGUAGES)
    for language in LANGUAGES:
        here, asked_for = committed(package, language), read(package.catalogue(language, tmp_path))
        assert sorted(asked_for.keys() - here.keys()) == [], f"new: {REMEDY}"
        assert sorted(here.keys() - asked_for.keys()) == [], f"no longer used: {REMEDY}"
        assert here == asked_for, REMEDY
        guesses = [message.sources for message in here.values() if message.is_guess]
        assert guesses == [], "to be looked at"
        text = package.catalogue(language).read_text(encoding="utf-8")
        for changes_by_itself in ("-Date:", "\n#: ", "\n#~ "):
            assert changes_by_itself not in text


@each_package
def test_everything_is_translated_with_its_placeholders(package: Package) -> None:
    placeholder = re.compile(r"%(?:\(\w+\))?[a-z%]|\{\w*\}")
    forms = {"de": 2, "es": 3, "pl": 4, "pt": 2}
    as_in_english = {
        "de": {"Status", "Token", "in Python:"},
        "es": {"Error", "Error:", "Token", "error"},
        "pl": {"REST API", "Status", "Token", "reset", "status"},
        "pt": {"Token"},
    }
    for language in LANGUAGES:
        compiled = read(package.catalogue(language).with_suffix(".mo"))
        assert compiled == committed(package, language), REMEDY
        for message in compiled.values():
            assert all(message.translations), f"to be translated: {message.sources}"
            singular, *plural = message.sources
            assert len(message.translations) == (forms[language] if plural else 1), singular
            for text in message.translations:
                named = sorted(placeholder.findall(text))
                assert named == sorted(placeholder.findall(message.sources[-1])), text
                if text == singular and re.search(r"[^\W\d_]{4,}", placeholder.sub("", text)):
                    assert text in as_in_english[language], text


def test_what_both_packages_say_they_say_alike() -> None:
    """Django asks one catalogue for what stands in both."""
    for language in LANGUAGES:
        ours, the_portals = (committed(package, language) for package in PACKAGES)
        for key in ours.keys() & the_portals.keys():
            assert ours[key].translations == the_portals[key].translations, key
