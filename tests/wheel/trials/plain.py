"""The package alone: the service, the command, the admin in two languages, nothing but Django."""

from tests.wheel.portal import Portal

BROUGHT_ALONG = {"asgiref", "django", "django-doc-priority", "sqlparse"}
WINDOWS_ONLY = {"tzdata"}
STATIC_FILES = ("doc_priority/live.js", "doc_priority/admin.css")

SERVICES = """
import sys
from pathlib import Path

import doc_priority
from doc_priority.services import check, peek

assert Path(doc_priority.__file__).is_relative_to(sys.prefix), doc_priority.__file__
for _ in range(3):
    assert check("acme", document="INV-1").pending_documents == 0
check("acme")
assert peek("acme").pending_documents == -1
"""

ADMIN = """
from django.contrib.auth.models import User
from django.test import Client

browser = Client(headers={"host": "localhost"})
browser.force_login(User.objects.create_superuser("support"))
pages = ("customer/", "customer/1/change/", "customer/reset/?customer=1", "customer/dashboard/")
for address in (*pages, "customer/how-priorities-work/", "policy/add/", "event/"):
    assert browser.get(f"/admin/doc_priority/{address}").status_code == 200, address
"""

CATALOGUES = """
import shutil

from django.contrib.auth.models import User
from django.test import Client

assert shutil.which("msgfmt") is None
browser = Client(headers={"host": "localhost"})
browser.force_login(User.objects.get())
titles = {
    "de": "So funktionieren Prioritäten",
    "en": "How priorities work",
    "es": "Cómo funcionan las prioridades",
    "pl": "Jak działają priorytety",
    "pt": "Como funcionam as prioridades",
}
for language, title in titles.items():
    page = browser.get(
        "/admin/doc_priority/customer/how-priorities-work/", headers={"accept-language": language}
    )
    assert title in page.content.decode(), language
"""


EXTRAS = """
from importlib import import_module

parts = {"api": "doc_priority.api.urls"}
for extra in ("celery", "opentelemetry", "procrastinate", "prometheus", "tasks"):
    parts[extra] = f"doc_priority.contrib.{extra}"
for extra, part in parts.items():
    try:
        import_module(part)
    except ModuleNotFoundError as error:
        assert f"pip install 'django-doc-priority[{extra}]'" in str(error), error
    else:
        raise AssertionError(f"{part} was imported without its extra")
"""


def try_it(portal: Portal) -> None:
    installed = set(portal.environment.installed())
    assert installed - WINDOWS_ONLY == BROUGHT_ALONG, f"It brings along {sorted(installed)}"
    portal.manage("check", "--fail-level", "WARNING")
    portal.manage("migrate", "--verbosity", "0")
    portal.manage("makemigrations", "--check", "--dry-run")
    said = portal.manage("doc_priority", "check", "birch")
    assert "birch: priority 1, pending documents 0" in said, said
    portal.manage("doc_priority", "doctor")
    portal.shell(SERVICES)
    portal.shell(ADMIN)
    portal.shell(CATALOGUES)
    portal.shell(EXTRAS)
    portal.manage("findstatic", "--verbosity", "0", *STATIC_FILES)
