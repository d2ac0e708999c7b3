"""What the page on languages takes for granted: the programs that read and compile catalogues."""

import shutil

import pytest

PROGRAMS = ("xgettext", "msguniq", "msgmerge", "msgattrib", "msgfmt")


def portal(project):
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        pytest.skip(f"{', '.join(missing)} not installed (Debian: apt install gettext)")
