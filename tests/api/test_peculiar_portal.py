"""What a portal sets for its own REST views changes nothing here."""

import os
import subprocess
import sys

import pytest

from tests.settings import BASE_DIR

FILES = [
    f"tests/api/test_{name}.py" for name in ("corrections", "policies", "served_openapi", "stats")
]


@pytest.mark.sqlite
def test_the_api_is_the_same_in_a_portal_that_sets_everything_otherwise() -> None:
    """Most settings are read once, when views are imported, so this takes a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--ds=tests.api.peculiar_portal", "-x", "-q", *FILES],
        cwd=BASE_DIR,
        env={**os.environ, "TEST_NAME_SUFFIX": f"_peculiar_{os.getpid()}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-5000:]
