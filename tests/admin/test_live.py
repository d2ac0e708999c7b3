"""What the list's script asks for: the rows as they stand now, and the order of a reload."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from doc_priority.services import check, reset
from tests.admin.conftest import SignIn
from tests.admin.customers import at_priority, at_rest
from tests.admin.lists import CUSTOMERS, listed
from tests.factories import CustomerFactory

pytestmark = pytest.mark.django_db

LIVE = "admin:doc_priority_customer_live"


def live(client: Client, *pks: int, query: str = "") -> Any:
    answer = client.get(f"{reverse(LIVE)}?live={','.join(map(str, pks))}&{query}")
    assert answer.status_code == 200
    return answer.json()


def test_the_rows_asked_for_are_told_as_they_stand_now(admin: Client) -> None:
    acme = at_priority(7)
    assert 'class="dp-badge dp-badge-7"' in live(admin, acme.pk)["rows"][str(acme.pk)]["priority"]
    check(acme.key)
    check(acme.key)
    row = live(admin, acme.pk)["rows"][str(acme.pk)]
    assert row["pending_documents"] == "−15"
    assert 'class="dp-badge dp-badge-8"' in row["priority"]
    assert 'class="dp-countdown"' in row["resets_in"]
    assert row.keys() == {"priority", "pending_documents", "resets_in", "last_update"}


def test_the_cells_are_those_of_the_list(admin: Client) -> None:
    acme = at_rest(name="<b>Acme</b>")
    page = admin.get(reverse(CUSTOMERS)).content.decode()
    for name, content in live(admin, acme.pk)["rows"][str(acme.pk)].items():
        assert f'data-customer="{acme.pk}" data-cell="{name}">{content}</span>' in page


def test_the_order_is_that_of_a_reload(admin: Client) -> None:
    acme, birch = at_priority(7), at_priority(8)
    assert live(admin, birch.pk, acme.pk)["order"] == [birch.pk, acme.pk] == listed(admin)
    reset(birch.key)
    assert live(admin, birch.pk, acme.pk)["order"] == [acme.pk, birch.pk] == listed(admin)


def test_rows_that_left_the_filter_are_still_told(admin: Client) -> None:
    acme = at_priority(7)
    reset(acme.key)
    told = live(admin, acme.pk, query="priority=7-9&o=1&q=customer")
    assert told["order"] == []
    assert told["rows"].keys() == {str(acme.pk)}


def test_rows_that_are_no_more_are_left_out(admin: Client) -> None:
    assert live(admin, 4711)["rows"] == {}


def test_of_a_page_that_is_no_more_the_first_is_told(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doc_priority.admin.CustomerAdmin.list_per_page", 1)
    acme, birch = at_priority(7), at_priority(6)
    assert live(admin, acme.pk, query="p=2")["order"] == [birch.pk]
    assert live(admin, acme.pk, query="p=3")["order"] == [acme.pk]


@pytest.mark.parametrize("query", ["priority=x", "nothing=1", "key__regex=(", "q=%00", "key=%00"])
def test_a_query_that_is_none_of_the_lists_is_refused(admin: Client, query: str) -> None:
    assert admin.get(f"{reverse(LIVE)}?{query}").status_code == 400


def test_it_needs_the_permission_to_view(sign_in: SignIn, client: Client) -> None:
    assert client.get(reverse(LIVE)).status_code == 302
    assert sign_in().get(reverse(LIVE)).status_code == 403


def test_nothing_may_keep_the_answer(admin: Client) -> None:
    assert "no-store" in admin.get(reverse(LIVE)).headers["Cache-Control"]


def test_the_number_of_queries_does_not_grow(
    sign_in: SignIn, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = sign_in("view_customer")
    few = [at_priority(7).pk, at_rest().pk]
    with django_assert_num_queries(9):
        live(client, *few)
    many = [at_priority(7).pk for _ in range(20)] + [at_rest().pk for _ in range(20)]
    with django_assert_num_queries(9):
        live(client, *many)
    gone_from_the_page = CustomerFactory.create().pk
    with django_assert_num_queries(10):
        live(client, gone_from_the_page, query="priority=7-9")
