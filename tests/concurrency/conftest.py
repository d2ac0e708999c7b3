"""Threads and processes commit for real, so every test here gets a database it may empty."""

import pytest


@pytest.fixture(autouse=True)
def real_transactions(transactional_db: None) -> None:
    """What one thread writes, another one reads."""
