"""Nobody forges a line of the log, or has it say more of a customer than the key."""

import logging
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from doc_priority.models import Customer, Event, Policy

pytestmark = pytest.mark.django_db

SECRET = "Zaphod"
"""Part of every name, reason and document."""


UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture, transactional_db: None) -> pytest.LogCaptureFixture:
    """All that is logged from the level of information on; events are, once they are committed."""
    for name in ("", "django", "doc_priority"):
        caplog.set_level(logging.INFO, name)
    return caplog


@pytest.fixture
def clients(transactional_db: None) -> tuple[APIClient, Client]:
    """Of one user: for REST, and for the admin."""
    forged = f"{SECRET}\r\nERROR forged a line\x1b[31m\u202e"
    user = User.objects.create_superuser(forged, first_name=forged)
    api, admin = APIClient(raise_request_exception=False), Client(raise_request_exception=False)
    api.force_authenticate(user)
    admin.force_login(user)
    return api, admin


def assert_harmless(log: pytest.LogCaptureFixture) -> None:
    for record in log.records:
        line = record.getMessage()
        assert not UNSEEN.search(line), f"{record.name}: {line!r}"
        if record.name == "doc_priority":
            beside = " ".join(str(value) for value in vars(record).values())
            assert SECRET not in line + beside
            assert not UNSEEN.search(beside)


def test_corrections_name_the_customer_by_its_key_alone(
    log: pytest.LogCaptureFixture, clients: tuple[APIClient, Client]
) -> None:
    """Over REST, then in the admin."""
    api, admin = clients
    said: Any = {"reason": f"{SECRET} called"}
    pin: Any = {"priority": 2, "until": "2126-11-18T10:00:00Z", **said}
    terms = {"reset_interval": 600, "recovery": "idle", "thresholds": [*range(-1, -9, -1)]}
    gold = f"policies/{SECRET}%20gold/"
    for method, address, body in (
        ("post", "policies/", {"name": f"{SECRET} gold", **terms, **said}),
        ("patch", gold, {"reset_interval": 900, **said}),
        ("post", "customers/", {"customer": "acme", "name": SECRET}),
        ("patch", "customers/acme/", {"name": f"{SECRET} Ltd", "policy": f"{SECRET} gold", **said}),
        ("post", "customers/acme/check/", {"document": f"{SECRET} 1"}),
        ("post", "checks/", {"items": [{"customer": "acme", "document": f"{SECRET} 2"}]}),
        ("post", "customers/acme/reset/", said),
        ("put", "customers/acme/pin/", pin),
        ("delete", "customers/acme/pin/", said),
        ("delete", "customers/acme/", said),
        ("delete", gold, said),
    ):
        answer = getattr(api, method)(f"/api/v1/{address}", body, format="json")
        assert answer.status_code < 300, answer.content

    admin.post(reverse("admin:doc_priority_customer_add"), {"key": "birch", "name": SECRET})
    form = {"customers": Customer.objects.get().pk, "priority": 2, "until": "2126-11-18T10:00"}
    for name in ("reset", "pin", "unpin", "forget"):
        newest = Event.objects.latest("pk").pk
        page = reverse(f"admin:doc_priority_customer_{name}")
        admin.post(page, {**form, "seen": newest, "reason": SECRET})
    thresholds = {f"threshold_{number}": -number for number in range(1, 9)}
    policy = {"name": f"{SECRET} gold", **terms, **thresholds, "reason": SECRET}
    admin.post(reverse("admin:doc_priority_policy_add"), policy)

    assert not Customer.objects.exists()
    assert Policy.objects.count() == 1
    logged = [record.action for record in log.records if record.name == "doc_priority"]
    assert len(logged) == 8 + 5
    assert set(logged) == set(Event.Kind.values)
    assert_harmless(log)


def test_what_is_refused_writes_no_line_of_its_own(
    log: pytest.LogCaptureFixture, clients: tuple[APIClient, Client]
) -> None:
    """Whoever asks, in whatever part of the request it stands."""
    api, admin = clients
    nobody = Client(raise_request_exception=False, enforce_csrf_checks=True)
    without_rights = Client(raise_request_exception=False)
    without_rights.force_login(User.objects.create(username="n"))
    for text in (
        *("%0A", "%0D%0AERROR%20forged", "%1B%5B31m", "%00", "%C2%9B31m", "%08", "%7F"),
        *("%E2%80%AE", "%E2%80%A8", "%ED%A0%80", "%25s%25(x)d"),
    ):
        for address in (f"customers/{text}/", f"policies/{text}/", f"customers/?{text}={text}"):
            api.get(f"/api/v1/{address}")
            api.generic("POST", f"/api/v1/{address}", b"{]", content_type="application/json")
        api.post(f"/api/v1/customers/{text}/check/", {"document": text}, format="json")
        for address in (f"/admin/{text}/", f"/admin/doc_priority/customer/{text}/change/"):
            admin.get(address)
        for name in ("customer_changelist", "policy_add", "customer_reset"):
            admin.get(f"{reverse(f'admin:doc_priority_{name}')}?{text}=1&_to_field={text}")
        reset = reverse("admin:doc_priority_customer_reset")
        admin.post(reset, {"customers": text, "reason": text})
        admin.get("/admin/", headers={"Host": f"evil{text}"})
        nobody.post(f"/admin/{text}/", {"reason": SECRET}, headers={"Referer": text})
        nobody.get("/api/v1/stats/", headers={"Authorization": f"Token {text}"})
        nobody.get(f"/nothing/{text}/")
        without_rights.get(f"/api/v1/customers/{text}/")
    loggers = {record.name for record in log.records}
    assert {"django.request", "django.security.csrf", "django.security.DisallowedHost"} <= loggers
    assert_harmless(log)
