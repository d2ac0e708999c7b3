"""The extra `prometheus`: a page of metrics for whoever shows the token."""

from tests.wheel.portal import Portal

TOKEN = "of-the-scraper-of-an-empty-project"

SETTINGS = f"""
INSTALLED_APPS.append("doc_priority.contrib.prometheus")
DOC_PRIORITY_METRICS_TOKEN = {TOKEN!r}
"""

URLS = """
from django.urls import include

urlpatterns.append(path("metrics/", include("doc_priority.contrib.prometheus.urls")))
"""

SCRAPING = f"""
from django.test import Client

from doc_priority.services import check

check("acme")
scraper = Client(headers={{"host": "localhost"}})
assert scraper.get("/metrics/").status_code == 401
said = scraper.get("/metrics/", headers={{"authorization": "Bearer {TOKEN}"}}).content.decode()
for line in (
    'doc_priority_checks_total{{pinned="no",priority="1",result="first"}} 1.0',
    'doc_priority_live_customers{{priority="1"}} 1.0',
    "doc_priority_live_up 1.0",
):
    assert line in said.splitlines(), said
"""


def try_it(portal: Portal) -> None:
    portal.add_settings(SETTINGS)
    portal.add_urls(URLS)
    portal.manage("check")
    portal.manage("migrate", "--verbosity", "0")
    portal.shell(SCRAPING)
