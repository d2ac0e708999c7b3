"""The calls in docs/reference/rest.md do what they say, one after the other, in a shell."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from knox.models import AuthToken

from doc_priority.api.openapi.document import document

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "rest.md"
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.sqlite
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.django_db(transaction=True)
def test_every_command_of_the_page_works(live_server: Any) -> None:
    """For this server, by somebody who may do everything."""
    _, token = AuthToken.objects.create(User.objects.create_superuser("root"))
    commands = "".join(block for block in BLOCKS if "/api/token/" not in block)
    commands = re.sub("(?m)^API=.*$", f"API={live_server.url}/api/v1", commands)
    strict = """set -euo pipefail
    curl() { command curl --silent --show-error --fail-with-body --max-time 20 "$@"; echo; }
    """

    done = subprocess.run(
        ["bash", "-c", strict + commands.replace("PUT-YOURS-HERE", token)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    for said in ('"pending_documents":-2', "Dokumente", "HTTP/1.1 304", '"next":null', "Cedar"):
        assert said in done.stdout


def test_the_page_has_every_operation() -> None:
    commands = "".join(BLOCKS)
    for path in document()["paths"]:
        pattern = re.sub(r"\\{\w+\\}", "[a-z]+", re.escape(path))
        assert re.search(rf"\$API{pattern}[\"?]", commands), path
