"""The people of the matrices, and what each may do."""

from django.contrib.auth.models import Permission, User
from django.db.models import QuerySet

from doc_priority.models import Customer

VIEWS = ("view_customer", "view_policy", "view_event")
PERMISSIONS: dict[str, tuple[str, ...]] = {
    "inactive": (),
    "nobody": (),
    "client": ("view_customer", "check_customer"),
    "staff": (),
    "viewer": VIEWS,
    "support": (*VIEWS, "reset_customer", "pin_customer"),
    "policies": (*VIEWS, "add_policy", "change_policy", "delete_policy"),
    "data": (*VIEWS, "delete_customer"),
    "superuser": (),
}
"""Of each role; who is anonymous has none, and who is a stranger is a client who asks for another's
customer."""

IN_THE_ADMIN = frozenset(("staff", "viewer", "support", "policies", "data", "superuser"))


def user_of(role: str) -> User | None:
    """Of the role; somebody inactive could do everything before."""
    if role == "anonymous":
        return None
    everything = role in ("inactive", "superuser")
    user = User.objects.create(
        username=role, is_staff=role in IN_THE_ADMIN or everything, is_superuser=everything
    )
    found = Permission.objects.filter(
        content_type__app_label="doc_priority",
        codename__in=PERMISSIONS["client" if role == "stranger" else role],
    )
    user.user_permissions.set(found)
    return user


def user_without(rights: str) -> User:
    """Staff with all of the app's rights but these; their name says so."""
    user = User.objects.create(username=f"all but {rights}", is_staff=True)
    ours = Permission.objects.filter(content_type__app_label="doc_priority")
    user.user_permissions.set(ours.exclude(codename__in=rights.split()))
    return user


def reach(user: User) -> QuerySet[Customer]:
    """Staff reach everybody, clients their own."""
    customers = Customer.objects.all()
    return customers if user.is_staff else customers.filter(key__startswith="own-")


REACH = {"API_CUSTOMERS": f"{__name__}.reach"}
