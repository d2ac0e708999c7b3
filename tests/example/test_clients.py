"""A client and its customer are made, renamed and removed together."""

from collections.abc import Callable

import pytest
from django.test import Client as Browser

from doc_priority.exceptions import CustomerExists, CustomerNotFound
from doc_priority.models import Customer, Event
from doc_priority.services import create_customer, create_policy, forget, peek
from example_project.portal.models import Client, Document
from example_project.portal.services import (
    File,
    create_client,
    delete_client,
    drop_documents,
    rename_client,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("example_project.urls")]

SignIn = Callable[[str], Browser]


def test_a_client_is_made_with_its_customer_and_policy() -> None:
    terms = [-2, -4, -6, -8, -10, -12, -14, -20]
    create_policy("Contract", reset_interval=1500, recovery="halving", thresholds=terms)

    create_client(key="initech", name="Initech", policy="Contract")

    customer = Customer.objects.select_related("policy").get(key="initech")
    assert customer.name == "Initech"
    assert customer.policy is not None
    assert customer.policy.name == "Contract"


def test_no_client_is_made_when_its_customer_exists() -> None:
    create_customer("initech")

    with pytest.raises(CustomerExists):
        create_client(key="initech", name="Initech")

    assert not Client.objects.exists()


def test_a_renamed_client_renames_its_customer(acme: Client) -> None:
    rename_client(acme, name="Acme & Sons")

    assert Client.objects.get().name == "Acme & Sons"
    assert Customer.objects.get().name == "Acme & Sons"


def test_a_renamed_client_whose_customer_was_forgotten_gets_it_back(acme: Client) -> None:
    forget("acme")

    rename_client(acme, name="Acme & Sons")

    assert Customer.objects.get().name == "Acme & Sons"


def test_a_deleted_client_is_forgotten_with_its_documents(acme: Client) -> None:
    drop_documents(acme, files=[File("a", "a.pdf")])

    delete_client(acme, reason="Contract ended")

    assert not Client.objects.exists()
    assert not Document.objects.exists()
    with pytest.raises(CustomerNotFound):
        peek("acme")
    event = Event.objects.get()
    assert (event.kind, event.reason, event.source) == ("forget", "Contract ended", "portal")


def test_a_client_whose_customer_was_forgotten_can_be_deleted(acme: Client) -> None:
    forget("acme")

    delete_client(acme)

    assert not Client.objects.exists()


def test_what_arrives_for_a_deleted_client_makes_no_customer(acme: Client) -> None:
    delete_client(Client.objects.get())

    with pytest.raises(Client.DoesNotExist):
        drop_documents(acme, files=[File("a", "a.pdf")])

    assert not Customer.objects.exists()


def test_the_pages_make_rename_and_delete(signed_in: SignIn) -> None:
    browser = signed_in("admin")

    made = browser.post("/new-client/", {"key": "initech", "name": "Initech"})
    assert made["Location"] == "/clients/initech/"
    renamed = browser.post("/clients/initech/rename/", {"name": "Initrode"}, follow=True)
    assert "The client is called Initrode now." in renamed.content.decode()
    assert Customer.objects.get(key="initech").name == "Initrode"
    deleted = browser.post("/clients/initech/delete/", follow=True)
    assert "Initrode is deleted." in deleted.content.decode()
    assert not Customer.objects.filter(key="initech").exists()
    assert Event.objects.get().actor == "admin"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("acme", "Client with this Client number already exists."),
        ("a b", "Use letters, digits and hyphens only."),
        ("taken", "This number is taken already; use another one."),
    ],
)
def test_a_number_that_cannot_be_used_is_refused(signed_in: SignIn, key: str, message: str) -> None:
    create_customer("taken")

    response = signed_in("admin").post("/new-client/", {"key": key, "name": "Initech"})

    assert message in response.content.decode()
    assert Client.objects.count() == 2
