"""Who signs in to the admin in the browser."""

from django.contrib.auth.models import Permission, User

VIEWS = ("view_customer", "view_policy", "view_event")


def staff(username: str, *codenames: str) -> User:
    """A member of staff with these permissions of the app."""
    user = User.objects.create_user(username, is_staff=True)
    found = Permission.objects.filter(
        content_type__app_label="doc_priority", codename__in=codenames
    )
    assert found.count() == len(codenames)
    user.user_permissions.set(found)
    return user


def support(username: str = "maria") -> User:
    """May see everything and put a counter right."""
    return staff(username, *VIEWS, "reset_customer", "pin_customer")


def viewer() -> User:
    """May see everything and change nothing."""
    return staff("viewer", *VIEWS)
