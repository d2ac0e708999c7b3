"""One browser and one server for all tests; each test finds them as if nobody had been there."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from selenium.webdriver import Chrome

from tests.browser.chrome import is_running, running_chrome
from tests.browser.page import Page, support
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
def page(drivers: Iterator[Chrome], site: Site) -> Iterator[Page]:
    """A browser that remembers nothing, at the running server."""
    page = Page(next(drivers), site.address)
    page.forget()
    yield page
    page.forget()


@pytest.fixture
def admin(page: Page, settings: Any) -> Iterator[Page]:
    """The same for the admin, whose pages ask every second how things stand.

    Whatever a test does there, the browser finds nothing wrong (no script that fails, nothing that
    the policy forbids), and nobody but the server is asked for anything.
    """
    settings.DOC_PRIORITY = {"LIVE_REFRESH_SECONDS": 1}
    yield page
    assert page.complaints() == []
    assert {urlsplit(one).netloc for one in page.requested()} <= {urlsplit(page.server).netloc}


@pytest.fixture
def maria(admin: Page, db: None) -> User:
    """Of support, and signed in."""
    maria = support("maria")
    admin.sign_in(maria)
    return maria


@pytest.fixture
def root(admin: Page, db: None) -> User:
    """A superuser, signed in."""
    root = User.objects.create_superuser("root")
    admin.sign_in(root)
    return root
