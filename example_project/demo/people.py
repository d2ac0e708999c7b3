"""The four people who can sign in to the demo, and the roles three of them have."""

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Q

from example_project.portal.models import Client, Member

PASSWORD = "demo"
"""The same for everybody, and public."""

OURS = Q(content_type__app_label="doc_priority")
PORTAL = Q(content_type__app_label="portal")
VIEW = (OURS | PORTAL) & Q(codename__startswith="view_")
CORRECT = OURS & Q(codename__in=["reset_customer", "pin_customer"])
SUBMIT = (PORTAL & Q(codename="add_document")) | (
    OURS & Q(codename__in=["view_customer", "check_customer"])
)

ROLES = {
    "submitter": ("client", SUBMIT),
    "viewer": ("viewer", VIEW),
    "support": ("support", VIEW | CORRECT),
}
"""Groups, who has them in the demo, and their permissions.

Which customers a submitter reaches, the portal decides.
"""


def create_people(*, client: Client) -> None:
    """`admin`, `support`, `viewer`, and `client`, who works for the given customer."""
    password = make_password(PASSWORD)
    User.objects.create(username="admin", password=password, is_staff=True, is_superuser=True)
    for role, (username, permissions) in ROLES.items():
        is_staff = username != "client"
        user = User.objects.create(username=username, password=password, is_staff=is_staff)
        group = Group.objects.create(name=role)
        group.permissions.set(Permission.objects.filter(permissions))
        user.groups.add(group)
    Member.objects.create(user=User.objects.get(username="client"), client=client)
