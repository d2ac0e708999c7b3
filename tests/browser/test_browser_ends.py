"""A browser that ends by itself spoils one attempt of one test and nothing else."""

from collections.abc import Iterator

import pytest
from selenium.common.exceptions import NoSuchElementException, WebDriverException
from selenium.webdriver import Chrome

from tests.browser.chrome import has_ended, is_running

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.plain]


@pytest.mark.parametrize("command", ["Browser.crash", "Page.crash"])
def test_another_browser_takes_over(drivers: Iterator[Chrome], command: str) -> None:
    ended = next(drivers)
    assert next(drivers) is ended
    with pytest.raises(WebDriverException) as error:
        ended.execute_cdp_cmd(command, {})
    assert has_ended(error.value)
    assert not is_running(ended)
    taken_over = next(drivers)
    assert taken_over is not ended
    assert is_running(taken_over)


def test_what_is_not_on_a_page_is_no_end(driver: Chrome) -> None:
    with pytest.raises(NoSuchElementException) as error:
        driver.find_element("id", "nobody")
    assert not has_ended(error.value)


def test_its_end_gives_a_test_another_attempt(request: pytest.FixtureRequest) -> None:
    marker = request.node.get_closest_marker("flaky")
    assert marker is not None
    assert marker.kwargs["reruns"] == 1
