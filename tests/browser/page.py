"""A page in a browser: what somebody does there, and what the browser noticed."""

import json
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from doc_priority.models import Customer

LIST = "doc_priority_customer_changelist"
CUSTOMER = "doc_priority_customer_change"

Answer = TypeVar("Answer")


def support(username: str = "maria") -> User:
    """May see everything and put a counter right."""
    codenames = ("view_customer", "view_policy", "view_event", "reset_customer", "pin_customer")
    user = User.objects.create_user(username, is_staff=True)
    ours = Permission.objects.filter(content_type__app_label="doc_priority")
    user.user_permissions.set(ours.filter(codename__in=codenames))
    return user


class Page:
    """Finds by CSS, and waits for what is not there yet."""

    def __init__(self, driver: Chrome, server: str) -> None:
        self.driver = driver
        self.server = server

    # Getting there.

    def open(self, address: str) -> None:
        self.driver.get(self.server + address)
        assert "Server Error" not in self.driver.title

    def visit(self, name: str, *arguments: Any, **query: Any) -> None:
        """A page of the admin by the name of its address."""
        self.open(f"{reverse(f'admin:{name}', args=arguments)}?{urlencode(query)}")

    def sign_in(self, user: User) -> None:
        client = Client()
        client.force_login(user)
        self.set_cookie(
            settings.SESSION_COOKIE_NAME, client.cookies[settings.SESSION_COOKIE_NAME].value
        )

    def set_cookie(self, name: str, value: str) -> None:
        cookie = {"name": name, "value": value, "url": self.server}
        self.driver.execute_cdp_cmd("Network.setCookie", cookie)

    def widen(self, width: int, height: int = 900) -> None:
        """As wide as a window of this many pixels."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )

    def prefer(self, scheme: str) -> None:
        """The system is light or dark; django-unfold looks only when a page is loaded."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.script(
            "document.querySelector('html[x-data]')?.classList.toggle('dark', arguments[0])",
            scheme == "dark",
        )

    def forget(self) -> None:
        """Nobody is signed in, nothing is set, nothing was noticed."""
        self.driver.get("about:blank")
        for command in ("Network.clearBrowserCookies", "Emulation.clearDeviceMetricsOverride"):
            self.driver.execute_cdp_cmd(command, {})
        self.prefer("light")
        self.requested()
        self.complaints()

    # Looking and doing.

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
        wait = WebDriverWait(self.driver, 20, 0.05, [StaleElementReferenceException])
        return wait.until(lambda driver: question(), otherwise)

    def script(self, code: str, *arguments: Any) -> Any:
        return self.driver.execute_script(code, *arguments)

    def click(self, selector: str) -> None:
        found = self.one(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()

    def type(self, selector: str, text: str) -> None:
        self.one(selector).send_keys(text)

    def press(self, key: str) -> None:
        ActionChains(self.driver).send_keys(key).perform()

    @property
    def text(self) -> str:
        """All that is shown, with single spaces."""
        return " ".join(self.script("return document.body?.innerText ?? ''").split())

    def says(self, text: str) -> None:
        """It does, or will do soon."""
        self.until(lambda: text in self.text, f"The page never says “{text}”.")

    # What the browser noticed since the last time.

    def requested(self) -> list[str]:
        """The addresses asked for, but for pictures that a style sheet brings along."""
        events = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        addresses = [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        return [address for address in addresses if not address.startswith("data:")]

    def complaints(self) -> list[str]:
        """But for the icon that a browser asks every site for."""
        messages = [entry["message"] for entry in self.driver.get_log("browser")]
        return [message for message in messages if "/favicon.ico" not in message]

    # The live list and countdowns.

    def shows(self, customer: Customer, **cells: str) -> None:
        """The live list does, or will do soon."""

        def shown() -> dict[str, str]:
            place = f'.dp-live[data-customer="{customer.pk}"]'
            return {name: self.one(f'{place}[data-cell="{name}"]').text for name in cells}

        self.until(lambda: shown() == cells, f"{customer.key} never is at {cells}.")

    def tick(self, *customers: Customer) -> None:
        for customer in customers:
            self.click(f'input.action-select[value="{customer.pk}"]')

    def countdown(self) -> int:
        """Seconds that the page still shows."""
        seconds = 0
        for part in self.one(".dp-countdown").text.split(":"):
            seconds = seconds * 60 + int(part)
        return seconds

    def let_seconds_pass(self, number: int) -> None:
        """As the countdown of the page tells them."""
        end = self.countdown() - number
        self.until(lambda: self.countdown() <= end, "The countdown stands still.")

    def send_reason(self, reason: str) -> None:
        """On the page that asks before a correction."""
        self.one("#id_reason").clear()
        self.type("#id_reason", reason)
        self.click(".dp-main")
