"""One browser and one server for all tests; each test finds them as if nobody had been there."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome

from tests.browser.admin_page import AdminPage
from tests.browser.chrome import is_running, running_chrome
from tests.browser.page import Page
from tests.browser.site import Site


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """The running server."""
    site = Site()
    site.start()
    yield site
    site.stop()


@pytest.fixture(scope="session")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iterator[Chrome]]:
    """The browser, each time it is asked for; a new one if it ended by itself meanwhile."""

    def running() -> Iterator[Chrome]:
        while True:
            with running_chrome(tmp_path_factory.mktemp("browser")) as driver:
                while is_running(driver):
                    yield driver

    with ExitStack() as stack:
        drivers = running()
        stack.callback(drivers.close)
        yield drivers


@pytest.fixture
def driver(site: Site, drivers: Iterator[Chrome]) -> Chrome:
    return next(drivers)


@pytest.fixture
def page(driver: Chrome, site: Site) -> Iterator[Page]:
    """A browser that remembers nothing, at the running server."""
    page = Page(driver, site.address)
    page.forget()
    yield page
    page.forget()


@pytest.fixture
def admin(driver: Chrome, site: Site, settings: Any) -> Iterator[AdminPage]:
    """The same for the admin, whose pages ask every second how things stand.

    Whatever a test does there, the browser finds nothing wrong (no script that fails, nothing that
    the policy forbids), and nobody but the server is asked for anything.
    """
    settings.DOC_PRIORITY = {"LIVE_REFRESH_SECONDS": 1}
    admin = AdminPage(driver, site.address)
    admin.forget()
    yield admin
    admin.requested()
    complaints, reached = admin.complaints(), admin.reached
    admin.forget()
    assert complaints == []
    assert reached <= {urlsplit(site.address).netloc}
