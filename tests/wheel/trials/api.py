"""The extra `api`: the REST API, its description and the page to try it."""

from tests.wheel.portal import Portal

URLS = """
from django.urls import include

urlpatterns.append(path("api/v1/", include("doc_priority.api.urls")))
"""

CALLS = """
from django.contrib.auth.models import User
from django.test import Client

browser = Client(headers={"host": "localhost"})
assert browser.get("/api/v1/customers/").status_code == 403
browser.force_login(User.objects.create_superuser("root"))
for pending_documents in (0, -1):
    answer = browser.post("/api/v1/customers/acme/check/", {}, content_type="application/json")
    assert answer.json()["pending_documents"] == pending_documents, answer.content
for address in ("schema/", "docs/", "docs/swagger-ui-bundle.js", "docs/docs.js", "customers/"):
    assert browser.get(f"/api/v1/{address}").status_code == 200, address
"""


def try_it(portal: Portal) -> None:
    portal.add_urls(URLS)
    portal.manage("check", "--fail-level", "WARNING")
    portal.manage("migrate", "--verbosity", "0")
    portal.shell(CALLS)
