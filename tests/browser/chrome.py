"""A browser that reaches this machine and nothing else."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

CLOSED_NETWORK = (
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    # Port 9 of this machine answers nobody; what is asked for by number ends there.
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=127.0.0.1",
)
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--window-size=1280,900",
)


@contextmanager
def running_chrome(profile: Path) -> Iterator[Chrome]:
    """It keeps in this folder what it has to remember."""
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in (*QUIET, *CLOSED_NETWORK):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options, Service(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()
