"""A reader who has seen enough, as in `manage.py doc_priority … | head -1`."""

import subprocess
import sys

import pytest

from tests.settings import BASE_DIR

COMMAND = (sys.executable, "-m", "django", "doc_priority", "simulate", "--settings=tests.settings")
SMALL = ("--kind", "quiet:2:1/min", "--hours", "0.1", "--recovery", "idle")


@pytest.mark.sqlite
def test_whoever_stops_reading_is_no_error() -> None:
    with subprocess.Popen(
        [*COMMAND, *SMALL], cwd=BASE_DIR, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
    assert (process.returncode, said) == (0, "")
