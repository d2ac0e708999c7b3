"""Processes are killed, and every document is done, none lost and none charged twice."""

import pytest

from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.killing import CONF, outcome
from tests.shared_database import url_of_the_test_database

DOCUMENTS, KILLS = 300, 15


@pytest.mark.redis
@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_exactly_once_charged_and_at_least_once_done(make_portal: MakePortal) -> None:
    _, terms = make_portal("redis", **CONF)
    environment = {"DATABASE_URL": url_of_the_test_database()}
    found = outcome(terms, documents=DOCUMENTS, kills=KILLS, environment=environment, limit=90)
    assert found.kills == KILLS
    assert found.is_exact(), found
