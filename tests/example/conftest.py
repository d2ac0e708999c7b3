"""A portal with two customers and the four kinds of people."""

import signal
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client as Browser

from example_project import settings as portal
from example_project.demo.data import create_people
from example_project.portal.models import Client
from example_project.portal.services import create_client

SignIn = Callable[[str], Browser]


@pytest.fixture(autouse=True)
def portal_settings(settings: Any) -> None:
    """What the portal's own settings say and its pages need."""
    settings.USE_TZ = True
    settings.LANGUAGES = portal.LANGUAGES
    settings.LOGIN_URL = "portal:login"
    settings.LOGIN_REDIRECT_URL = "portal:start"
    settings.LOGOUT_REDIRECT_URL = "portal:start"
    settings.DOC_PRIORITY = portal.DOC_PRIORITY
    settings.REST_FRAMEWORK = portal.REST_FRAMEWORK
    settings.REST_KNOX = portal.REST_KNOX
    settings.TASKS = portal.TASKS
    settings.ENGINE = "tasks"
    settings.PORTAL_SECONDS_PER_DOCUMENT = 0
    cache.clear()  # what earlier tests tried counts against no throttle


@pytest.fixture
def run_worker() -> Callable[[], None]:
    """A worker of Django tasks, in this process, that takes all that wait."""

    def run() -> None:
        # Its signal handlers are for a process of its own.
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
        handlers = {number: signal.getsignal(number) for number in numbers}
        try:
            call_command("db_worker", batch=True, verbosity=0, reload=False)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    return run


@pytest.fixture
def acme(db: None) -> Client:
    return create_client(key="acme", name="Acme")


@pytest.fixture
def globex(db: None) -> Client:
    return create_client(key="globex", name="Globex")


@pytest.fixture
def signed_in(acme: Client, globex: Client) -> SignIn:
    """A browser in which somebody is signed in: admin, support, viewer, or client (of Acme)."""
    create_people(client=acme)

    def sign_in(username: str) -> Browser:
        browser = Browser()
        assert browser.login(username=username, password="demo")
        return browser

    return sign_in
