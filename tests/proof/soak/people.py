"""Who asks, and about whom: a client with a token, and a member of staff who is signed in."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils.crypto import get_random_string
from knox.models import AuthToken

from doc_priority import services
from doc_priority.models import Customer


@dataclass(frozen=True)
class People:
    """What each of them sends along with a request."""

    client: Mapping[str, str]
    staff: Mapping[str, str]

    def sending(self, headers: Mapping[str, str]) -> Self:
        """The same people, with further headers."""
        return replace(self, client={**self.client, **headers}, staff={**self.staff, **headers})


def people() -> People:
    user = User.objects.create_superuser("soak")
    session = Client()
    session.force_login(user)
    cookies = {
        settings.SESSION_COOKIE_NAME: session.cookies[settings.SESSION_COOKIE_NAME].value,
        settings.CSRF_COOKIE_NAME: get_random_string(32),
    }
    return People(
        client={"Authorization": f"Token {AuthToken.objects.create(user)[1]}"},
        staff={"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())},
    )


@dataclass(frozen=True)
class Customers:
    keys: tuple[str, ...]
    corrected: tuple[int, ...]
    """Ids of others, whom nobody but staff corrects: who comes second would be told so."""


def customers(count: int, *, corrected: int) -> Customers:
    keys = [f"soaked-{number}" for number in range(count)]
    others = [f"corrected-{number}" for number in range(corrected)]
    services.check_many([*keys, *others])
    ids = Customer.objects.filter(key__in=others).values_list("pk", flat=True)
    return Customers(tuple(keys), tuple(ids))
