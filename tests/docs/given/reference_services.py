"""What the page on services takes for granted: a request."""

from types import SimpleNamespace

from django.contrib.auth.models import User


def prepare() -> dict[str, object]:
    return {"request": SimpleNamespace(user=User.objects.create_user("boss"))}
