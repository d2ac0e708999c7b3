"""The four people who can sign in to the demo, all with the same public password."""

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Permission, User
from django.db.models import Q, QuerySet

from example_project.portal.models import Client, Member

PASSWORD = "demo"

VIEW = Q(content_type__app_label__in=["doc_priority", "portal"], codename__startswith="view_")
CORRECT = Q(content_type__app_label="doc_priority") & Q(
    codename__in=["reset_customer", "pin_customer"]
)
DROP = Q(content_type__app_label="portal", codename="add_document")


def create_people(*, client: Client) -> None:
    """`admin`, `support`, `viewer`, and `client`, who works for the given client."""
    password = make_password(PASSWORD)
    User.objects.create(username="admin", password=password, is_staff=True, is_superuser=True)
    support = User.objects.create(username="support", password=password, is_staff=True)
    support.user_permissions.set(_permissions(VIEW | CORRECT))
    viewer = User.objects.create(username="viewer", password=password, is_staff=True)
    viewer.user_permissions.set(_permissions(VIEW))
    member = User.objects.create(username="client", password=password)
    member.user_permissions.set(_permissions(DROP))
    Member.objects.create(user=member, client=client)


def _permissions(which: Q) -> QuerySet[Permission]:
    return Permission.objects.filter(which)
