"""The demo's people and what their roles allow."""

import pytest
from django.contrib.auth.models import Group, User

from example_project.demo.people import create_people, give_roles
from example_project.portal.models import Client

pytestmark = pytest.mark.django_db

VIEW = {
    *(f"doc_priority.view_{model}" for model in ("customer", "counter", "documentdecision")),
    *(f"doc_priority.view_{model}" for model in ("event", "policy")),
    *(f"portal.view_{model}" for model in ("client", "document", "member")),
}
CORRECT = {"doc_priority.reset_customer", "doc_priority.pin_customer"}
SUBMIT = {
    "portal.add_document",
    "doc_priority.view_customer",
    "doc_priority.check_customer",
}
ROLES = {"submitter": SUBMIT, "viewer": VIEW, "support": VIEW | CORRECT}
ROLE_OF = {"client": "submitter", "viewer": "viewer", "support": "support"}


@pytest.mark.parametrize(("role", "permissions"), ROLES.items())
def test_a_role_is_a_group_with_exactly_these_permissions(
    acme: Client, role: str, permissions: set[str]
) -> None:
    create_people(client=acme)

    granted = Group.objects.get(name=role).permissions.select_related("content_type")

    assert {f"{one.content_type.app_label}.{one.codename}" for one in granted} == permissions


@pytest.mark.parametrize(("username", "role"), ROLE_OF.items())
def test_everybody_has_one_role_and_nothing_besides(acme: Client, username: str, role: str) -> None:
    create_people(client=acme)

    user = User.objects.get(username=username)

    assert [group.name for group in user.groups.all()] == [role]
    assert user.get_all_permissions() == ROLES[role]


def test_people_of_an_earlier_version_get_their_roles(acme: Client) -> None:
    create_people(client=acme)
    Group.objects.all().delete()

    give_roles()

    for username, role in ROLE_OF.items():
        assert User.objects.get(username=username).get_all_permissions() == ROLES[role]


def test_what_was_changed_by_hand_since_stays(acme: Client) -> None:
    create_people(client=acme)
    User.objects.get(username="viewer").groups.clear()
    Group.objects.get(name="support").permissions.clear()

    give_roles()

    assert not User.objects.get(username="viewer").get_all_permissions()
    assert not User.objects.get(username="support").get_all_permissions()
