"""What a test does in a browser, and what the browser noticed."""

import json
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

PATIENCE = 20
"""Seconds until a page is given up."""

Answer = TypeVar("Answer")


class Page:
    """Finds by CSS, and waits for what is not there yet."""

    def __init__(self, driver: Chrome, server: str) -> None:
        self.driver = driver
        self.server = server

    def open(self, address: str) -> None:
        self.driver.get(self.server + address)

    def sign_in(self, user: User) -> None:
        """As a session of the portal; the browser must be at the server already."""
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        parameters = {"name": cookie.key, "value": cookie.value, "url": self.server}
        self.driver.execute_cdp_cmd("Network.setCookie", parameters)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        """The first that is shown."""

        def shown() -> WebElement | None:
            return next((found for found in self.all(selector) if found.is_displayed()), None)

        found = self.until(shown, f"Nothing is {selector}.")
        assert found is not None
        return found

    def until(self, question: Callable[[], Answer], otherwise: str) -> Answer:
        """The first answer that is not empty; an element that was replaced is looked for anew."""
        wait = WebDriverWait(self.driver, PATIENCE, 0.05, [StaleElementReferenceException])
        return wait.until(lambda driver: question(), otherwise)

    def script(self, code: str, *arguments: Any) -> Any:
        return self.driver.execute_script(code, *arguments)

    def click(self, selector: str) -> None:
        found = self.one(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()

    def narrow(self) -> None:
        """As wide as a telephone."""
        metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def widen(self, width: int) -> None:
        """As wide as a window of this many pixels."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme: str) -> None:
        """The system is light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def forget(self) -> None:
        """Nobody is signed in, nothing is set, nothing was noticed."""
        self.driver.get("about:blank")
        for command in ("Network.clearBrowserCookies", "Emulation.clearDeviceMetricsOverride"):
            self.driver.execute_cdp_cmd(command, {})
        self.prefer("light")
        self.requested()
        self.complaints()

    def requested(self) -> list[str]:
        """The addresses asked for since the last time."""
        events = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def requested_paths(self) -> set[str]:
        """The same without what comes after the question mark."""
        return {one.partition("?")[0] for one in self.requested()}

    def complaints(self) -> list[str]:
        """What the browser found wrong since the last time."""
        return [entry["message"] for entry in self._log("browser")]

    def _log(self, name: str) -> Any:
        return self.driver.get_log(name)


def hosts(addresses: list[str]) -> set[str]:
    """Where the addresses lead; pictures that a style sheet brings along lead nowhere."""
    return {urlsplit(one).netloc for one in addresses if not one.startswith("data:")}
