"""The records that the app has logged."""

from typing import Any

import pytest


def records(caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [record for record in caplog.records if record.name == "doc_priority"]
