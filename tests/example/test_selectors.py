"""However much there is, a page takes the same number of queries."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client as Browser

from example_project.portal import selectors
from example_project.portal.models import Client
from example_project.portal.services import File, create_client, drop_documents

pytestmark = [pytest.mark.django_db, pytest.mark.urls("example_project.urls")]

SignIn = Callable[[str], Browser]
QueryCount = Callable[[int], Any]


@pytest.fixture
def viewer(signed_in: SignIn) -> User:
    signed_in("viewer")
    for number in range(30):
        client = create_client(key=f"c{number}", name=f"Client {number}")
        drop_documents(client, files=[File(f"{part}", f"{part}.pdf") for part in range(3)])
    user = User.objects.get(username="viewer")
    user.get_all_permissions()
    return user


def test_clients_take_four_queries(viewer: User, django_assert_num_queries: QueryCount) -> None:
    with django_assert_num_queries(4):
        shown = selectors.clients_page(viewer, text="", number="1")
        assert len(shown.rows) == selectors.CLIENTS_PER_PAGE
        assert {row.waiting for row in shown.rows} == {3}
        assert all(row.client.name for row in shown.rows)


def test_documents_take_two_queries(viewer: User, django_assert_num_queries: QueryCount) -> None:
    with django_assert_num_queries(2):
        page = selectors.documents_page(viewer, status="queued", number="1")
        assert len({document.client.name for document in page}) > 10


def test_the_queue_takes_two_queries(viewer: User, django_assert_num_queries: QueryCount) -> None:
    with django_assert_num_queries(2):
        page = selectors.queue_page(viewer, number="1")
        assert [document.place for document in page] == list(range(1, 51))
        assert all(document.client.name for document in page)


def test_one_client_takes_four_queries(viewer: User, django_assert_num_queries: QueryCount) -> None:
    client = Client.objects.get(key="c7")

    with django_assert_num_queries(4):
        standing = selectors.standing_of(client)
        assert standing.documents == 2
        assert selectors.waiting_of(client) == selectors.Waiting(documents=3, first_place=22)
        assert len(selectors.client_documents_page(client, number="1")) == 3


@pytest.mark.parametrize(
    ("address", "queries"), [("/", 8), ("/clients/c7/", 9), ("/documents/", 6), ("/queue/", 6)]
)
def test_a_whole_page_adds_the_session_the_user_and_its_permissions(
    viewer: User,
    signed_in: SignIn,
    django_assert_num_queries: QueryCount,
    address: str,
    queries: int,
) -> None:
    browser = signed_in("viewer")

    with django_assert_num_queries(queries):
        browser.get(address)
