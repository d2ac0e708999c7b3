"""The function that makes a check one call on PostgreSQL: when it is made, and when it goes."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from doc_priority import services
from doc_priority.counters import postgresql_function
from tests.vectors import START

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


def test_the_function_is_made_once():
    with CaptureQueriesContext(connection) as queries:
        postgresql_function.install(connection)
    assert len(queries) == 1
    assert postgresql_function.is_installed(connection)


def test_a_function_with_another_text_is_replaced():
    with connection.cursor() as cursor:
        cursor.execute(f"DROP FUNCTION {postgresql_function.NAME}")
        cursor.execute(
            f"CREATE FUNCTION {postgresql_function.NAME}(a text) RETURNS text "
            "LANGUAGE sql AS 'SELECT a'"
        )
    assert not postgresql_function.is_installed(connection)
    postgresql_function.install(connection)
    assert services.check("acme", at=START).priority == 1


@pytest.mark.django_db(transaction=True)
def test_it_comes_and_goes_with_the_tables():
    call_command("migrate", "doc_priority", "zero", verbosity=0)
    try:
        assert not postgresql_function.is_installed(connection)
    finally:
        call_command("migrate", verbosity=0)
    assert postgresql_function.is_installed(connection)
