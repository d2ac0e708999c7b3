"""Which customers each kind of person reaches through the REST API."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client as Browser

from doc_priority.models import Customer
from doc_priority.services import create_customer
from example_project.portal.access import customers_of
from example_project.portal.models import Client, Document, Member
from example_project.portal.services import File, create_client, drop_documents

pytestmark = pytest.mark.django_db

SignIn = Callable[[str], Browser]
QueryCount = Callable[[int], object]


def reached_by(username: str) -> set[str]:
    return {customer.key for customer in customers_of(User.objects.get(username=username))}


@pytest.mark.usefixtures("signed_in")
@pytest.mark.parametrize("username", ["admin", "support", "viewer"])
def test_staff_reach_every_customer_client_or_not(username: str) -> None:
    create_customer("no-client-of-the-portal")

    assert reached_by(username) == {"acme", "globex", "no-client-of-the-portal"}


@pytest.mark.usefixtures("signed_in")
def test_a_client_reaches_its_own_customer_only() -> None:
    create_customer("no-client-of-the-portal")

    assert reached_by("client") == {"acme"}


@pytest.mark.usefixtures("signed_in")
def test_keys_that_differ_in_case_are_two_customers() -> None:
    create_customer("ACME")

    assert reached_by("client") == {"acme"}


@pytest.mark.usefixtures("signed_in")
def test_somebody_who_works_for_no_client_reaches_none() -> None:
    Member.objects.all().delete()

    assert reached_by("client") == set()


def test_nobody_reaches_clients_without_members(acme: Client, globex: Client) -> None:
    drop_documents(acme, files=[File("a", "a.pdf")])
    nobody = AnonymousUser()

    assert not customers_of(nobody).exists()
    assert not Client.objects.visible_to(nobody).exists()
    assert not Document.objects.visible_to(nobody).exists()


@pytest.mark.usefixtures("signed_in")
def test_it_is_part_of_another_query(django_assert_num_queries: QueryCount) -> None:
    for number in range(20):
        client = create_client(key=f"c{number}", name=f"Client {number}")
        Member.objects.filter(user__username="client").update(client=client)
    user = User.objects.get(username="client")
    user.get_all_permissions()

    with django_assert_num_queries(1):
        reached = customers_of(user).order_by().values("pk")
        assert [customer.key for customer in Customer.objects.live().filter(pk__in=reached)] == [
            "c19"
        ]
