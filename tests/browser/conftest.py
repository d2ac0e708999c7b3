"""A browser that reaches this machine and nothing else."""

import shutil
from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from tests.browser.page import Page
from tests.server import running_site

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


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Where the running server is."""
    with running_site() as address:
        yield address


@pytest.fixture(scope="session")
def driver(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in (*QUIET, *CLOSED_NETWORK):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('browser')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options, Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture
def page(driver: Chrome, site: str) -> Iterator[Page]:
    """A browser that remembers nothing, at the running server."""
    page = Page(driver, site)
    page.forget()
    yield page
    page.forget()
