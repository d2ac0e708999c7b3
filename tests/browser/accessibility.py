"""What axe-core finds on a page, but for what is Django's or the theme's own."""

from dataclasses import dataclass
from typing import Any

from django.apps import apps
from selenium_axe_python import Axe

from tests.browser.page import Page

RUN = """
    const [theirs, done] = arguments;
    const isTheirs = (rule, target) => theirs.some(
      ([of, selector]) => of === rule && document.querySelector(target).matches(selector)
    );
    const told = ({ id, nodes }) => nodes
      .filter(({ target }) => !isTheirs(id, target[0]))
      .map(({ target, html, any, all, none }) => ({
        rule: id, target: target[0], html: html.slice(0, 300),
        why: [...any, ...all, ...none].map((one) => one.message).join(" "),
      }));
    // A colour on its way to another one is neither.
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
    // Without preloading: axe would write styles into the page, which a strict policy forbids.
    Promise.allSettled(transitions.map((one) => one.finished))
      .then(() => axe.run(document, { resultTypes: ["violations"], preload: false }))
      .then(({ violations }) => done(violations.flatMap(told)));
"""

DJANGOS = (
    # The links of the path at the top differ from its text by their colour alone.
    ("link-in-text-block", ".breadcrumbs a"),
    # The label of the search is a picture.
    ("label-title-only", "#searchbar"),
)
UNFOLDS = (
    # Its frame has no main landmark, so that whatever a page has is outside of all landmarks.
    ("landmark-one-main", "html"),
    ("region", "*"),
    # White on its bar of actions.
    ("color-contrast", "#changelist-actions *"),
    # Its scroll bars in the sidebar.
    ("landmark-unique", ".simplebar-content-wrapper"),
)
THEIRS = (*DJANGOS, *(UNFOLDS if apps.is_installed("unfold") else ()))
"""A rule and the elements that may break it: none of them is ours."""


@dataclass(frozen=True)
class Violation:
    """One element that breaks one rule."""

    rule: str
    target: str
    html: str
    why: str

    def __str__(self) -> str:
        return f"{self.rule} at {self.target}: {self.why}\n    {self.html}"


def violations(page: Page) -> list[Violation]:
    Axe(page.driver).inject()
    found: list[dict[str, Any]] = page.driver.execute_async_script(RUN, THEIRS)
    return [Violation(**one) for one in found]
