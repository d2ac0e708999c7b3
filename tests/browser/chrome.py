"""A browser that reaches this machine and nothing else."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from urllib3.exceptions import HTTPError

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

ENDED = (
    *("InvalidSessionId", "invalid session id", "session deleted", "tab crashed"),
    *("not connected to DevTools", "chrome not reachable", "MaxRetryError"),
)
"""What is said, as regular expressions, when the browser or a page of it ended by itself."""


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


def is_running(driver: Chrome) -> bool:
    try:
        return bool(driver.execute_script("return true"))
    except (WebDriverException, HTTPError):
        return False
