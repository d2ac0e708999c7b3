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
SUBMIT = OURS & Q(codename__in=["view_customer", "check_customer"])
DROP = PORTAL & Q(codename="add_document")

ROLES = {"submitter": DROP | SUBMIT, "viewer": VIEW, "support": VIEW | CORRECT}
"""Groups and their permissions; which clients a submitter reaches, the portal decides."""

ROLE_OF = {"client": "submitter", "viewer": "viewer", "support": "support"}


def create_people(*, client: Client) -> None:
    """`admin`, `support`, `viewer`, and `client`, who works for the given client."""
    password = make_password(PASSWORD)
    User.objects.create(username="admin", password=password, is_staff=True, is_superuser=True)
    User.objects.create(username="support", password=password, is_staff=True)
    User.objects.create(username="viewer", password=password, is_staff=True)
    member = User.objects.create(username="client", password=password)
    Member.objects.create(user=member, client=client)
    give_roles()


def give_roles() -> None:
    """Make the roles that are not there yet, and give each to whoever has it in the demo."""
    for name, permissions in ROLES.items():
        role, is_new = Group.objects.get_or_create(name=name)
        if is_new:
            role.permissions.set(Permission.objects.filter(permissions))
            people = [username for username, had in ROLE_OF.items() if had == name]
            role.user_set.set(User.objects.filter(username__in=people))
