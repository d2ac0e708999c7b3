"""Customers as a table: what spreadsheets read, and what they must not run."""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.http import StreamingHttpResponse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from doc_priority.admin.exporting import csv_response
from doc_priority.models import Customer
from doc_priority.services import pin
from doc_priority.testing import frozen_time, set_pending_documents
from tests.factories import CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db

NOON = datetime(2030, 5, 6, 12, tzinfo=UTC)
HEADER = "customer,name,policy,priority,pinned,pinned_until,pending_documents,updated_at,resets_at"


def exported() -> StreamingHttpResponse:
    return csv_response(Customer.objects.live().order_by("key"))


def content(response: StreamingHttpResponse) -> bytes:
    return b"".join(response)  # type: ignore[arg-type]


def rows(response: StreamingHttpResponse) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content(response).decode("utf-8-sig"), newline="")))


def row_of(**values: Any) -> dict[str, str]:
    CustomerFactory(**values)
    (row,) = rows(exported())
    return row


def test_each_column_has_the_name_and_the_value_of_rest() -> None:
    CustomerFactory(key="acme", name="Acme", policy=PolicyFactory(name="gold"))
    CustomerFactory(key="new", name="")
    CustomerFactory(key="old", name="")
    set_pending_documents("acme", -13, at=NOON)
    with frozen_time(NOON):
        pin("new", priority=9, until=None)
        pin("acme", priority=2, until=NOON + timedelta(hours=1), reason="a fair")
        lines = content(exported()).decode("utf-8-sig").split("\r\n")

    assert lines == [
        HEADER,
        "acme,Acme,gold,2,true,2030-05-06T13:00:00.000000Z,-13,"
        "2030-05-06T12:00:00.000000Z,2030-05-06T12:25:00.000000Z",
        "new,,,9,true,,0,,",
        "old,,,1,false,,0,,",
        "",
    ]


def test_it_is_a_file_to_keep_with_the_date_of_the_portal() -> None:
    response = exported()
    today = timezone.localtime(datetime.now(UTC)).date().isoformat()

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="customers-{today}.csv"'


def test_spreadsheets_are_told_that_it_is_utf_8() -> None:
    CustomerFactory(key="lodz", name="Łódź – שלום")
    assert content(exported()).startswith(b"\xef\xbb\xbfcustomer,")
    assert rows(exported())[0]["name"] == "Łódź – שלום"


@pytest.mark.parametrize(
    "name",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1+1",
        "\r=1+1",
        "\ttab",
        "  =1+1",
        "  \ttab",
        "\u00a0=1+1",
        "\u3000=1+1",
        "\n=1+1",
        "\uff1d1+1",
        "\uff0b1",
        "\uff0d1",
        "\uff201",
    ],
)
def test_no_name_becomes_a_formula(name: str) -> None:
    assert row_of(key="evil", name=name)["name"] == f"'{name}"


@pytest.mark.parametrize("name", ["", "Acme", "A=B", "a-b", "1+1", "'quoted'", 'say "hi", you'])
def test_other_names_stay_as_they_are(name: str) -> None:
    assert row_of(key="good", name=name)["name"] == name


@pytest.mark.parametrize("name", ["two\nlines", "two\r\nlines", 'a"b\n'])
def test_a_name_of_two_lines_stays_one_cell(name: str) -> None:
    assert row_of(key="two", name=name)["name"] == name


@pytest.mark.parametrize("key", ["-key", "@key"])
def test_no_key_becomes_a_formula(key: str) -> None:
    assert row_of(key=key)["customer"] == f"'{key}"


def test_no_policy_becomes_a_formula() -> None:
    assert row_of(policy=PolicyFactory(name="=gold"))["policy"] == "'=gold"


def test_negative_counts_stay_numbers() -> None:
    set_pending_documents("acme", -1_000_000)
    assert rows(exported())[0]["pending_documents"] == "-1000000"


def test_only_the_customers_given_are_exported() -> None:
    CustomerFactory.create_batch(3)
    set_pending_documents("acme", -30)
    found = rows(csv_response(Customer.objects.live().filter(priority=9)))
    assert [row["customer"] for row in found] == ["acme"]


@pytest.mark.parametrize("customers", [0, 1, 4500])
def test_it_takes_one_query_however_many_customers(
    customers: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Customer.objects.bulk_create(
        [Customer(key=f"customer-{number}") for number in range(customers)], batch_size=500
    )
    response = exported()
    with django_assert_num_queries(1):
        found = rows(response)
    assert len(found) == customers


def test_it_is_sent_while_it_is_read() -> None:
    """Nothing is asked of the database before somebody reads, and rows come one by one."""
    response = exported()
    CustomerFactory.create_batch(3)
    parts: Iterator[bytes] = iter(response)  # type: ignore[arg-type]
    assert next(parts).decode("utf-8-sig") == f"{HEADER}\r\n"
    assert [part.count(b"\r\n") for part in parts] == [1, 1, 1]
