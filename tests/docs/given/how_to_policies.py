"""What the page on policies takes for granted: a request, and the portal's customers."""

from types import SimpleNamespace

from django.contrib.auth.models import User

from doc_priority.services import create_customer

gold_contracts = ["acme", "birch"]


def prepare() -> dict[str, object]:
    for key in gold_contracts:
        create_customer(key)
    return {"request": SimpleNamespace(user=User.objects.create_user("boss"))}
