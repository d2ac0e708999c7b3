"""Bring the catalogues of doc_priority up to date and compile them: `python -m tests.translations`.

New strings come in untranslated, or with a guess that is marked fuzzy; tests/project finds both.
"""

import contextlib
import os
import re
from pathlib import Path

from django.core.management import call_command

from tests.settings import BASE_DIR

PACKAGE = BASE_DIR / "doc_priority"
LANGUAGES = ("de", "es", "pl", "pt")

_DATE = re.compile(r'^"(POT-Creation|PO-Revision)-Date: .*\n', re.MULTILINE)


def catalogue(package: Path, language: str) -> Path:
    return package / "locale" / language / "LC_MESSAGES" / "django.po"


def update(package: Path) -> None:
    """Write the catalogues of this package as its code asks for now, and compile them."""
    with contextlib.chdir(package):
        call_command(
            "makemessages",
            locale=list(LANGUAGES),
            no_location=True,
            no_wrap=True,
            no_obsolete=True,
            verbosity=0,
        )
        for language in LANGUAGES:
            _strip_dates(catalogue(package, language))
        call_command("compilemessages", verbosity=0)


def _strip_dates(path: Path) -> None:
    # With dates in them, two branches that touch a catalogue would always conflict.
    path.write_text(_DATE.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    update(PACKAGE)
