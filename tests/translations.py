"""Bring the catalogues up to date and compile them: `python -m tests.translations`.

New strings come in untranslated, or with a guess that is marked fuzzy; tests/project finds both.
"""

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import django
from django.core.management import call_command
from django.test import override_settings

from tests.settings import BASE_DIR

LANGUAGES = ("de", "es", "pl", "pt")

_DATE = re.compile(r'^"(POT-Creation|PO-Revision)-Date: .*\n', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Package:
    """Code with catalogues of its own, and the pages it has elsewhere."""

    folder: str
    pages: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return Path(self.folder).name

    def locale(self, root: Path) -> Path:
        return root / self.folder / "locale"

    def catalogue(self, language: str, root: Path = BASE_DIR) -> Path:
        return self.locale(root) / language / "LC_MESSAGES" / "django.po"


DOC_PRIORITY = Package("doc_priority")
PORTAL = Package("example_project/portal", pages=("templates",))
PACKAGES = (DOC_PRIORITY, PORTAL)


def update(package: Package, root: Path = BASE_DIR) -> None:
    """Write the catalogues of this package as its code asks for now, and compile them."""
    locale = package.locale(root)
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        for source in (package.folder, *package.pages):
            Path(folder, Path(source).name).symlink_to(root / source)
        # What lies elsewhere has no catalogues beside it.
        with override_settings(LOCALE_PATHS=[str(locale)]):
            _make_messages()
            for language in LANGUAGES:
                _strip_dates(package.catalogue(language, root))
            call_command("compilemessages", verbosity=0)


def _make_messages() -> None:
    call_command(
        "makemessages",
        locale=list(LANGUAGES),
        symlinks=True,
        no_location=True,
        no_wrap=True,
        no_obsolete=True,
        verbosity=0,
    )


def _strip_dates(path: Path) -> None:
    # With dates in them, two branches that touch a catalogue would always conflict.
    path.write_text(_DATE.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    for package in PACKAGES:
        update(package)
