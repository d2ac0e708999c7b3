"""Whether a script among the stored texts runs in a real browser."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.test import override_settings
from django.urls import reverse
from selenium.common.exceptions import WebDriverException

from doc_priority.models import Customer, Policy
from tests.admin.lists import CUSTOMERS
from tests.browser.admin_page import AdminPage
from tests.browser.chrome import has_ended, running_chrome
from tests.browser.site import Site
from tests.proof.hostile.markup import MARKUP, TEXTS
from tests.proof.hostile.scene import empty_portal
from tests.proof.hostile.text_pages import address, pages_of_what_is_stored
from tests.proof.hostile.text_scene import store
from tests.proof.hostile.tried import Tried, sampled

WATCH = """
    Object.defineProperty(window, "hacked", {
      set() { localStorage.setItem("hacked", location.href); },
    });
"""
"""Before anything of the page runs; also what runs late is kept."""

RUN = "return localStorage.getItem('hacked')"
PROGRAMS = ("chromium", "chromedriver")


def obstacle() -> str:
    """Why there is no browser; empty if there is one."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"{' and '.join(missing)} not found" if missing else ""


def scripts_that_ran(*, every: int) -> Tried:
    """All over again in a new browser, once, if the browser ended by itself."""
    try:
        return _scripts_that_ran(every)
    except WebDriverException as error:
        if not has_ended(error):
            raise
    return _scripts_that_ran(every)


def _scripts_that_ran(every: int) -> Tried:
    """Pages are opened without a policy that would forbid scripts, and wait for their refresh."""
    tried = Tried("pages in a browser")
    with _admin() as admin:
        paths = [*_live_pages(), *sampled(list(_quiet_pages()), every)]
        for path in paths:
            admin.open(path)
            tried.expect(_is_ours(admin), f"{path}: {admin.driver.title}")
            if path in _live_pages():
                _await_a_refresh(admin)
            ran = admin.script(RUN)
            tried.expect(ran is None, f"a script ran on {ran}")
            admin.script("localStorage.clear()")
    return tried


@contextmanager
def _admin() -> Iterator[AdminPage]:
    """Somebody who may do everything, at a site whose texts are all hostile."""
    site = Site(WSGIHandler)
    with (
        TemporaryDirectory() as profile,
        empty_portal(),
        override_settings(DOC_PRIORITY={"LIVE_REFRESH_SECONDS": 1}),
    ):
        user = store(TEXTS, username=MARKUP[1])
        site.start()
        try:
            with running_chrome(Path(profile)) as driver:
                driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
                yield _signed_in(AdminPage(driver, site.address), user)
        finally:
            site.stop()


def _signed_in(admin: AdminPage, user: User) -> AdminPage:
    admin.forget()
    admin.open("/admin/login/")
    admin.sign_in(user)
    return admin


def _live_pages() -> list[str]:
    """Pages whose scripts write into them what the server says."""
    customer = Customer.objects.order_by("pk").values_list("pk", flat=True)[0]
    return [reverse(CUSTOMERS), address("dashboard"), address("customer_change", customer)]


def _quiet_pages() -> Iterator[str]:
    yield address("event_changelist")
    yield address("policy_changelist")
    yield address("policy_change", Policy.objects.order_by("pk").values_list("pk", flat=True)[0])
    pages = pages_of_what_is_stored()
    yield from (path for path in pages if "/doc_priority/" in path and "live" not in path)


def _is_ours(admin: AdminPage) -> bool:
    return admin.script("return document.contentType") in ("text/html", "application/json")


def _await_a_refresh(admin: AdminPage) -> None:
    admin.requested()
    admin.until(
        lambda: any("live" in one or "standing" in one for one in admin.requested()),
        "The page never asks how things stand.",
    )
