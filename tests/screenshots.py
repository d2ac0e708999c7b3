"""Take the pictures of the admin for the documentation: `python -m tests.screenshots`.

They show invented companies, in a database of their own that is thrown away. Needs Chromium.
"""

import base64
import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

if __name__ == "__main__":
    thrown_away = tempfile.TemporaryDirectory()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ["DATABASE_URL"] = f"sqlite:///{thrown_away.name}/pictures.sqlite3"
    django.setup()

from doc_priority.models import Customer
from tests.browser import invented_day
from tests.browser.admin_page import CUSTOMER, LIST, AdminPage
from tests.browser.chrome import running_chrome
from tests.browser.people import support
from tests.browser.site import Site

PICTURES = settings.BASE_DIR / "docs" / "images"
WIDTH = 1280
HIGHEST = 1700
"""Pixels; what is further down is cut off."""


def open_list(admin: AdminPage) -> None:
    admin.visit(LIST)


def open_customer(admin: AdminPage) -> None:
    admin.visit(CUSTOMER, Customer.objects.get(key=invented_day.PICTURED).pk)


def open_confirmation(admin: AdminPage) -> None:
    worst = Customer.objects.filter(key__in=invented_day.WORST).values_list("pk", flat=True)
    admin.visit("doc_priority_customer_reset", customer=",".join(map(str, worst)))
    admin.type("#id_reason", "Sent twice by mistake")


def open_dashboard(admin: AdminPage) -> None:
    admin.visit("doc_priority_dashboard")


PAGES: dict[str, Callable[[AdminPage], None]] = {
    "list": open_list,
    "customer": open_customer,
    "confirmation": open_confirmation,
    "dashboard": open_dashboard,
}


def take(admin: AdminPage, file: Path) -> None:
    """A picture of the whole page."""
    height = min(HIGHEST, admin.script("return document.documentElement.scrollHeight"))
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
    options = {"clip": clip, "captureBeyondViewport": True}
    picture = admin.driver.execute_cdp_cmd("Page.captureScreenshot", options)
    file.write_bytes(base64.b64decode(picture["data"]))


def take_all(admin: AdminPage) -> None:
    metrics = {"width": WIDTH, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    admin.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    for scheme in ("light", "dark"):
        admin.prefer(scheme)
        for name, open_page in PAGES.items():
            open_page(admin)
            take(admin, PICTURES / f"admin-{name}-{scheme}.png")


def main(folder: Path) -> None:
    """What the database and the browser keep goes into this folder."""
    call_command("migrate", verbosity=0)
    invented_day.fill(now=datetime.now(UTC))
    site = Site()
    site.start()
    try:
        with running_chrome(folder / "browser") as driver:
            admin = AdminPage(driver, site.address)
            admin.sign_in(support("maria"))
            take_all(admin)
    finally:
        site.stop()


if __name__ == "__main__":
    with thrown_away:
        main(Path(thrown_away.name))
