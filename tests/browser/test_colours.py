"""Everything can be read, in light and dark."""

import pytest
from django.contrib.auth.models import User

from tests.admin.customers import at_priority
from tests.browser.admin_page import LIST, AdminPage
from tests.browser.every_page import fill

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

ENOUGH = 4.5
"""What WCAG asks of text, for its contrast with what is behind it."""

COLOURS = """
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const drawn = (colour) => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    };
    const styles = [...document.querySelectorAll(".dp-badge")].map((badge) => [
      badge.textContent, getComputedStyle(badge),
    ]);
    return styles.map(([text, { color, backgroundColor }]) =>
      [text, drawn(color), drawn(backgroundColor)]);
"""

Colour = list[int]
"""Red, green, blue and opacity, up to 255."""


def luminance(colour: Colour) -> float:
    """As WCAG computes it."""
    parts = [part / 255 for part in colour[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    assert one[3] == other[3] == 255
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_badge_can_be_read(admin: AdminPage, scheme: str) -> None:
    maria = User.objects.create_superuser("maria")
    fill(maria)
    admin.prefer(scheme)
    admin.sign_in(maria)

    admin.visit(LIST)

    contrasts = {text: contrast(*colours) for text, *colours in admin.script(COLOURS)}
    assert contrasts.keys() == set("123456789")
    assert {text: ratio for text, ratio in contrasts.items() if ratio < ENOUGH} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_are_as_light_or_dark_as_the_system(admin: AdminPage, scheme: str) -> None:
    """Else the tests of both would say nothing."""
    admin.sign_in(User.objects.create_superuser("maria"))
    admin.visit(LIST)

    admin.prefer(scheme)

    ask = (
        COLOURS.split("const styles")[0]
        + """
        const text = drawn(getComputedStyle(document.querySelector("#content, #main")).color);
        return text[0] > 128;
    """
    )
    wanted = scheme == "dark"
    admin.until(lambda: admin.script(ask) == wanted, f"The text never is one of the {scheme}.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_browser_draws_our_fields_as_light_or_dark(admin: AdminPage, scheme: str) -> None:
    """A list of choices and the calendar of a date are the browser's own."""
    acme = at_priority(7, key="acme")
    admin.sign_in(User.objects.create_superuser("maria"))
    admin.prefer(scheme)

    admin.visit("doc_priority_customer_pin", customer=acme.pk)

    admin.one("#id_until")
    ask = "return [...document.querySelectorAll('.dp-input')].map((one) => getComputedStyle(one))"
    drawn = admin.script(f"{ask}.map((style) => style.colorScheme === 'dark')")
    assert set(drawn) == {scheme == "dark"}
