"""Customers as CSV: what spreadsheets read, and what they must not run."""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.http import StreamingHttpResponse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from doc_priority.admin.export import csv_response
from doc_priority.models import Customer
from doc_priority.services import pin
from doc_priority.testing import frozen_time, set_pending_documents
from tests.factories import CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db

HEADER = "customer,name,policy,priority,pinned,pinned_until,pending_documents,updated_at,resets_at"


def exported() -> StreamingHttpResponse:
    return csv_response(Customer.objects.live().order_by("key"))


def content(response: StreamingHttpResponse) -> str:
    return b"".join(response).decode("utf-8-sig")  # type: ignore[arg-type]


def rows(response: StreamingHttpResponse) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content(response), newline="")))


def test_it_is_utf_8_with_the_names_and_the_values_of_rest() -> None:
    noon = datetime(2030, 5, 6, 12, tzinfo=UTC)
    CustomerFactory(key="acme", name="Acme", policy=PolicyFactory(name="gold"))
    CustomerFactory(key="new", name="")
    CustomerFactory(key="old", name="")
    set_pending_documents("acme", -13, at=noon)
    with frozen_time(noon):
        pin("new", priority=9, until=None)
        pin("acme", priority=2, until=noon + timedelta(hours=1), reason="a fair")
        lines = content(exported()).split("\r\n")

    assert lines == [
        HEADER,
        "acme,Acme,gold,2,true,2030-05-06T13:00:00.000000Z,-13,"
        "2030-05-06T12:00:00.000000Z,2030-05-06T12:25:00.000000Z",
        "new,,,9,true,,0,,",
        "old,,,1,false,,0,,",
        "",
    ]

    CustomerFactory(key="lodz", name="Łódź – שלום")
    response = exported()
    today = timezone.localtime(datetime.now(UTC)).date().isoformat()
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="customers-{today}.csv"'
    written = b"".join(response)  # type: ignore[arg-type]
    assert written.startswith(b"\xef\xbb\xbfcustomer,")
    assert "lodz,Łódź – שלום," in written.decode()


def test_no_text_becomes_a_formula_and_others_stay_as_they_are() -> None:
    signs = ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201"]
    spaces = ["\t=1+1", "\r=1+1", "\n=1+1", "  =1+1", "\u00a0=1+1", "\u3000=1+1"]
    formulas = [*signs, *spaces, "\ttab", "  \ttab"]
    plain = ["", "Acme", "A=B", "a-b", "1+1", "'quoted'", 'say "hi", you']
    names = [*formulas, *plain, "two\nlines", "two\r\nlines", 'a"b\n']
    for number, name in enumerate(names):
        CustomerFactory(key=f"{number:02}", name=name)
    CustomerFactory(key="@key", policy=PolicyFactory(name="=gold"))
    CustomerFactory(key="-key")
    found = {row["customer"]: row for row in rows(exported())}
    for number, name in enumerate(names):
        expected = f"'{name}" if name in formulas else name
        assert found[f"{number:02}"]["name"] == expected, name
    assert found["'@key"]["policy"] == "'=gold"
    assert "'-key" in found

    CustomerFactory.create_batch(3)
    set_pending_documents("acme", -1_000_000)
    (row,) = rows(csv_response(Customer.objects.live().filter(priority=9)))
    assert (row["customer"], row["pending_documents"]) == ("acme", "-1000000")


def test_it_is_sent_while_it_is_read_by_one_query_however_many_customers(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    """Nothing is asked of the database before somebody reads, and rows come one by one."""
    response = exported()
    CustomerFactory.create_batch(3)
    parts: Iterator[bytes] = iter(response)  # type: ignore[arg-type]
    assert next(parts).decode("utf-8-sig") == f"{HEADER}\r\n"
    assert [part.count(b"\r\n") for part in parts] == [1, 1, 1]

    Customer.objects.all().delete()
    # More than Django reads from the database at once.
    for customers in (0, 2500):
        Customer.objects.bulk_create(
            [Customer(key=f"customer-{number}") for number in range(customers)], batch_size=500
        )
        response = exported()
        with django_assert_num_queries(1):
            found = rows(response)
        assert len(found) == customers
