"""The admin as somebody sees it who works with it."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from doc_priority.models import Customer
from tests.browser.page import Page, hosts

LIST = "doc_priority_customer_changelist"
CUSTOMER = "doc_priority_customer_change"
LIVE = "/admin/doc_priority/customer/live/"

MOST_TABS = 100
"""Presses of Tab until nothing more is hoped for."""

WIDER = """
    const [width] = arguments;
    const all = document.documentElement.scrollWidth;
    if (all <= width) return [];
    const name = (one) => `${one.localName}.${one.className}#${one.id}`;
    const sticksOut = (one) => one.getBoundingClientRect().right > width;
    const found = [...document.querySelectorAll("body *")].filter(sticksOut);
    return [`${all} pixels`, ...found.slice(0, 12).map(name)];
"""


class AdminPage(Page):
    """Knows the app's addresses and the parts of its pages, in any theme."""

    reached: frozenset[str] = frozenset()
    """The hosts that were asked for anything."""

    def forget(self) -> None:
        super().forget()
        self.reached = frozenset()

    def requested(self) -> list[str]:
        addresses = super().requested()
        self.reached |= hosts(addresses)
        return addresses

    def complaints(self) -> list[str]:
        """Without the icon that a browser asks every site for."""
        return [one for one in super().complaints() if "/favicon.ico" not in one]

    def open(self, address: str) -> None:
        super().open(address)
        assert "Server Error" not in self.driver.title

    def prefer(self, scheme: str) -> None:
        """Also on the page that is open: django-unfold looks only when a page is loaded."""
        super().prefer(scheme)
        self.script(
            """
            const root = document.documentElement;
            if (root.matches("[x-data]")) root.classList.toggle("dark", arguments[0] === "dark");
            """,
            scheme,
        )

    def visit(self, name: str, *arguments: Any, **query: Any) -> None:
        """A page of the admin by the name of its address."""
        self.open(f"{reverse(f'admin:{name}', args=arguments)}?{urlencode(query)}")

    def sign_in_by_form(self, user: User, password: str) -> None:
        self.visit("index")
        self.type("#id_username", user.username)
        self.type("#id_password", password)
        self.click("#login-form [type=submit], form [type=submit]")

    def type(self, selector: str, text: str) -> None:
        self.one(selector).send_keys(text)

    def press(self, key: str) -> None:
        ActionChains(self.driver).send_keys(key).perform()

    def tab_to(self, selector: str) -> None:
        """By the keyboard alone."""
        for _ in range(MOST_TABS):
            self.press(Keys.TAB)
            if self.script("return document.activeElement.matches(arguments[0])", selector):
                return
        raise AssertionError(f"Tab does not reach {selector}.")

    def outline(self) -> int:
        """Pixels around what has the focus."""
        style = "const style = getComputedStyle(document.activeElement);"
        width = "return style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth)"
        return int(self.script(style + width))

    def says(self, text: str) -> None:
        """It does, or will do soon."""
        self.until(lambda: text in self.text, f"The page never says “{text}”.")

    @property
    def text(self) -> str:
        """All that is shown, with single spaces."""
        return " ".join(self.script("return document.body?.innerText ?? ''").split())

    def contents(self, selector: str) -> str:
        """The text there, as it was sent; also what is not shown."""
        read = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
        return " ".join(self.script(read, selector))

    def cell(self, customer: Customer, name: str) -> str:
        """What the live list shows of a customer, as it stands now."""
        selector = f'.dp-live[data-customer="{customer.pk}"][data-cell="{name}"]'
        return self.until(lambda: self.one(selector).text, f"Nothing stands in {selector}.")

    def shows(self, customer: Customer, **cells: str) -> None:
        """The live list does, or will do soon."""

        def shown() -> dict[str, str]:
            return {name: self.cell(customer, name) for name in cells}

        self.until(lambda: shown() == cells, f"{customer.key} never is at {cells}.")

    def tick(self, *customers: Customer) -> None:
        for customer in customers:
            self.click(box_of(customer))

    def run_action(self, name: str) -> None:
        self.click(f'select[name="action"] option[value="{name}"]')
        self.click('button[name="index"]')

    def countdown(self, selector: str = ".dp-countdown") -> int:
        """Seconds that the page still shows."""
        seconds = 0
        for part in self.one(selector).text.split(":"):
            seconds = seconds * 60 + int(part)
        return seconds

    def let_seconds_pass(self, number: int) -> None:
        """As the countdown of the page tells them."""
        end = self.countdown() - number
        self.until(lambda: self.countdown() <= end, "The countdown stands still.")

    def wider_than(self, width: int) -> list[str]:
        """What sticks out of a page that has to be scrolled sideways."""
        return list(self.script(WIDER, width))

    def speak(self, language: str) -> None:
        """As if chosen in the portal; the browser must be at the server already."""
        parameters = {
            "name": settings.LANGUAGE_COOKIE_NAME,
            "value": language,
            "url": self.server,
        }
        self.driver.execute_cdp_cmd("Network.setCookie", parameters)

    def asked_live(self) -> int:
        """How often the list has asked how things stand, since the last time."""
        return sum(LIVE in address for address in self.requested())


def box_of(customer: Customer) -> str:
    return f'input.action-select[value="{customer.pk}"]'
