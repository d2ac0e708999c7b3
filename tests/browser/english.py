"""What is English on a page in another language."""

import re
from collections.abc import Iterator

from tests.browser.page import Page
from tests.project.catalogues import Message, read
from tests.translations import PACKAGES

READ = """
    const skipped = "script, style, code, pre, textarea, option[lang]";
    const attributes = ["alt", "aria-label", "placeholder", "title", "data-label", "data-pause"];
    const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
        const text = walker.currentNode;
        if (!text.parentElement.closest(skipped)) found.push(text.data);
    }
    const all = (selector) => document.querySelectorAll(selector);
    for (const name of attributes)
        for (const one of all(`[${name}]`)) found.push(one.getAttribute(name));
    for (const one of all("input[type=submit]")) found.push(one.value);
    return found.join(" | ");
"""
"""All text of the page and what is read aloud, also what is not shown at the moment."""

_BETWEEN = re.compile(r"%\(\w+\)[sd]|<[^>]*>")
_WORD = re.compile(r"[^\W\d_]{3,}")


class English:
    """The parts of our messages that do not occur in this language."""

    def __init__(self, language: str) -> None:
        messages = [
            message
            for package in PACKAGES
            for key, message in read(package.catalogue(language)).items()
            if key
        ]
        vocabulary = " | ".join(text for one in messages for text in one.translations)
        self.parts = {
            part
            for message in messages
            for part in _parts(message)
            if not _said(part).search(vocabulary)
        }
        longest_first = sorted(map(re.escape, self.parts), key=len, reverse=True)
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)")

    def on(self, page: Page) -> set[str]:
        """Those that the page says."""
        text = " ".join(page.script(READ).split())
        return set(self._pattern.findall(text))


def _parts(message: Message) -> Iterator[str]:
    for source in message.sources:
        if source not in message.translations:
            parts = (part.strip() for part in _BETWEEN.split(source))
            yield from (part for part in parts if _WORD.search(part))


def _said(part: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(part)}(?!\w)")
