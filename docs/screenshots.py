"""Take the pictures of the admin for the documentation: `make screenshots`. Needs Chromium.

They show invented companies and what they sent in the last 24 hours, in a database that is thrown
away.
"""

import base64
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import django
from django.core.management import call_command
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

PICTURES = Path(__file__).parent / "images"
WIDTH = 1280
HIGHEST = 1700
"""Pixels; what is further down is cut off."""

PICTURED = "C1042"
"""Whose page is shown."""
WORST = (PICTURED, "C1187", "C1023")
"""Who is asked about before a reset."""

Drops = list[tuple[int, int]]
"""How many minutes ago, and how many documents."""

COMPANIES: dict[str, tuple[str, Drops]] = {
    PICTURED: (
        "Aldermoor Freight Ltd",
        [
            *((1390, 3), (1320, 5), (1245, 9), (1180, 16), (1010, 4), (950, 2), (720, 12)),
            *((655, 18), (640, 7), (410, 3), (345, 6), (280, 10), (150, 24), (85, 8)),
            *((19, 9), (12, 8), (4, 6)),
        ],
    ),
    "C1187": ("Falkenrode Medizintechnik GmbH", [(700, 30), (14, 9), (3, 7)]),
    "C1023": ("Transportes Puertaluna S.L.", [(500, 12), (21, 7), (9, 7)]),
    "C1260": ("Jodłowizna Meble Sp. z o.o.", [(330, 5), (11, 14)]),
    "C1094": ("Seguros Riofresco S.L.", [(8, 12)]),
    "C1175": ("Netherquay Dental Supplies Ltd", [(900, 40), (17, 6), (6, 4)]),
    "C1211": ("Kranichsee Hausverwaltung GmbH", [(5, 32)]),
    "C1066": ("Cerâmicas Montalvinho Lda.", [(240, 3), (13, 6)]),
    "C1139": ("Elmstow Print Works Ltd", [(2, 4)]),
    "C1108": ("Świerkowa Usługi Medyczne Sp. z o.o.", [(60, 20), (10, 10)]),
    "C1152": ("Vinhos Quintarosa Lda.", [(7, 2)]),
    "C1203": ("Wiesenbrück Logistik GmbH", [(1100, 6)]),
}
RESETS = {
    893: ("C1175", "Their scanner was stuck and sent blank pages."),
    695: ("C1187", "Sent twice by mistake; the second batch was taken back."),
    145: (PICTURED, "Agreed on the phone: the backlog of the month is in."),
}
"""How many minutes ago, who, and why."""


def make_the_day() -> None:
    """Documents and resets, in the order in which they happened."""
    from doc_priority import services

    now = datetime.now(UTC)
    contract = {"recovery": "halving", "thresholds": range(-10, -50, -5)}
    services.create_policy("Priority contract", reset_interval=1500, **contract)
    happened = [
        (timedelta(minutes=minutes) - number * timedelta(seconds=3), key, "")
        for key, (_, drops) in COMPANIES.items()
        for minutes, documents in drops
        for number in range(documents)
    ]
    happened += [(timedelta(minutes=at), key, reason) for at, (key, reason) in RESETS.items()]
    for key, (name, _) in COMPANIES.items():
        services.create_customer(key, name=name)
    services.set_policy("C1211", policy="Priority contract")
    for number, (ago, key, reason) in enumerate(sorted(happened, reverse=True)):
        if reason:
            services.reset(key, actor="jonas", reason=reason, source="admin", at=now - ago)
        else:
            services.check(key, document=f"R{2001 + number}", at=now - ago)
    reason = "Audit at the client's: they need everything back today."
    until = now + timedelta(hours=6)
    services.pin("C1108", priority=2, until=until, actor="jonas", reason=reason, source="admin")


def addresses() -> dict[str, str]:
    """The pictures and the pages they show."""
    from django.urls import reverse

    from doc_priority.models import Customer

    pk = Customer.objects.get(key=PICTURED).pk
    worst = Customer.objects.filter(key__in=WORST).values_list("pk", flat=True)
    query = f"?customer={','.join(map(str, worst))}"
    return {
        "list": reverse("admin:doc_priority_customer_changelist"),
        "customer": reverse("admin:doc_priority_customer_change", args=[pk]),
        "confirmation": reverse("admin:doc_priority_customer_reset") + query,
        "dashboard": reverse("admin:doc_priority_dashboard"),
    }


def session_of_support() -> str:
    """Of somebody who may see everything and put a counter right."""
    from django.conf import settings
    from django.contrib.auth.models import Permission, User
    from django.test import Client

    maria = User.objects.create_user("maria", is_staff=True)
    may = ["view_customer", "view_policy", "view_event", "reset_customer", "pin_customer"]
    maria.user_permissions.set(Permission.objects.filter(codename__in=may))
    client = Client()
    client.force_login(maria)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def take_all(driver: Chrome, site: str) -> None:
    size = {"width": WIDTH, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(f"{site}/admin/login/")
    driver.add_cookie({"name": "sessionid", "value": session_of_support()})
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        for name, address in addresses().items():
            driver.get(site + address)
            for field in driver.find_elements("id", "id_reason") if name == "confirmation" else []:
                field.send_keys("Sent twice by mistake")
            height = driver.execute_script("return document.documentElement.scrollHeight")
            clip = {"x": 0, "y": 0, "width": WIDTH, "height": min(HIGHEST, height), "scale": 1}
            options = {"clip": clip, "captureBeyondViewport": True}
            picture = driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"]
            (PICTURES / f"admin-{name}-{scheme}.png").write_bytes(base64.b64decode(picture))


def main(folder: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ["DATABASE_URL"] = f"sqlite:///{folder}/pictures.sqlite3"
    django.setup()
    call_command("migrate", verbosity=0)
    make_the_day()

    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.test.testcases import LiveServerThread

    server = LiveServerThread("127.0.0.1", StaticFilesHandler)
    server.daemon = True
    server.start()
    server.is_ready.wait()
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", f"--user-data-dir={folder}/browser"):
        options.add_argument(argument)
    driver = Chrome(options, Service(shutil.which("chromedriver")))
    try:
        take_all(driver, f"http://127.0.0.1:{server.port}")
    finally:
        driver.quit()
        server.terminate()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(folder)
