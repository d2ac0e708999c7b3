"""How many customers a page is told of, when there are too many to count each time."""

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from doc_priority.models import Customer
from doc_priority.selectors import about_number_of, number_of
from tests.factories import CustomerFactory

KNOWN = 5


@pytest.fixture
def one_more_than_known(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five that PostgreSQL has looked at, and another one."""
    monkeypatch.setattr("doc_priority.selectors.numbers.MANY", KNOWN - 1)
    CustomerFactory.create_batch(KNOWN)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE doc_priority_customer")
    CustomerFactory.create()


@pytest.mark.postgresql
def test_of_many_postgresql_tells_what_it_knows(
    one_more_than_known: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        assert about_number_of(Customer.objects.live()) == KNOWN
    assert number_of(Customer.objects.live()) == KNOWN + 1


def test_what_is_narrowed_is_counted(one_more_than_known: None) -> None:
    customers = Customer.objects.live()
    assert about_number_of(customers.filter(name="nobody")) == 0
    assert about_number_of(customers.filter(key__gt="")) == KNOWN + 1


def test_few_are_counted(db: None) -> None:
    CustomerFactory.create_batch(KNOWN)
    assert about_number_of(Customer.objects.live()) == KNOWN
